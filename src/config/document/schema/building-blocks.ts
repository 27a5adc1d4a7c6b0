import * as z from "zod";
import { isToken } from "../../../job/message/headers.ts";
import { isObject, type JsonValue } from "../../../job/message/json-value.ts";
import { parseDuration } from "../../../job/rules/durations.ts";
import { mismatchesOf, type Parsed } from "../../../job/rules/parsed.ts";
import type { ValuePath } from "../../problem.ts";

/**
 * Every message of these schemas ends a sentence that begins with "expected"; toProblems completes it. JSON
 * Schema for editors is derived from them, so what only a grammar knows is described with `meta`.
 */

/** A mapping with exactly these keys. The message for unknown keys is the list of the known ones, comma separated. */
export function section<Shape extends z.ZodRawShape>(shape: Shape, expected = "a mapping") {
  const known = Object.entries(shape)
    .filter(([, schema]) => !(schema instanceof z.ZodOptional && schema.unwrap() instanceof z.ZodNever))
    .map(([key]) => key);
  return z.strictObject(shape, {
    error: (issue) => (issue.code === "unrecognized_keys" ? known.join(",") : expected),
  });
}

/** Options of refine: asked only if the mapping has no other problem, which would be the better answer. */
export function ifClean(error: string) {
  return { error, when: ({ issues }: { readonly issues: readonly unknown[] }) => issues.length === 0 };
}

export function notEmpty(error: string) {
  return [
    (value: object) => Object.values(value).some((member) => member !== undefined),
    ifClean(error),
  ] as const;
}

export function key<Schema extends z.ZodType>(schema: Schema, description: string) {
  return schema.optional().meta({ description });
}

/** Marks an issue of a parser that is about the key at its path and not about the value. */
export const atKey = { part: "key" } as const;

export const aboutCount = { part: "count" } as const;

/** Arguments of refine. Asked first: what else is wrong with so many members is no news. */
export function atMostKeys(most: number, what: string) {
  return [
    (map: unknown) => !isObject(map) || Object.keys(map).length <= most,
    { error: `at most ${most} ${what}`, when: () => true, params: aboutCount },
  ] as const;
}

/** A key that must not be there. `why` completes "this key is …". */
export function refusedKey(why: string) {
  return z.never(why).optional();
}

const nameExpected = "a name of a-z, 0-9 and - that begins with a letter or digit, at most 63 characters";

export const name = z
  .string(nameExpected)
  .max(63, nameExpected)
  .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, nameExpected);

export const headerName = z.string().max(256, "a header name").refine(isToken, "a header name");

export const flag = z.boolean("true or false");

export function line(what: string, maxLength = 2_048) {
  return z
    .string(what)
    .max(maxLength, what)
    .refine((text) => /^\P{Cc}+$/u.test(text), what)
    .meta({ minLength: 1 });
}

export function wholeNumber(from: number, to: number) {
  const error = `a whole number from ${from} to ${to}`;
  return z.int(error).min(from, error).max(to, error);
}

export function oneOf<const Name extends string>(names: readonly Name[]) {
  return z.enum(names, names.length === 1 ? names[0] : `one of ${names.join(", ")}`);
}

export function oneOrMany<Item extends z.ZodType>(item: Item, what: string) {
  const error = `${what}, or a list of them`;
  return z.union([item, z.array(item, error).min(1, error).max(1_000, "at most 1000 values")], error);
}

export function listOf<Item extends z.ZodType>(item: Item, what: string) {
  return oneOrMany(item, what).transform((value) => [value].flat() as readonly z.output<Item>[]);
}

export function setOf<Item extends z.ZodType>(item: Item, what: string) {
  return listOf(item, what).transform((list) => [...new Set(list)]);
}

/** A value with a grammar of its own. `meta` describes it in the JSON Schema. */
export function parsed<Value>(
  parse: (value: unknown) => Parsed<Value>,
  meta: Readonly<Record<string, unknown>> = {},
) {
  return parsedFrom(z.unknown().meta({ ...meta }), parse);
}

export function parsedFrom<Value>(input: z.ZodUnknown, parse: (value: unknown) => Parsed<Value>) {
  return input.transform((value, context): Value => {
    const result = parse(value);
    if (result.ok) return result.value;
    for (const { expected, at } of mismatchesOf(result)) {
      context.addIssue({ code: "custom", message: expected, path: [...(at ?? [])] });
    }
    return z.NEVER;
  });
}

export const duration = parsed(parseDuration, { type: "string", examples: ["30s", "2m", "1h30m", "3d"] });

export function durationFrom(minMs: number, expected: string) {
  return duration.refine((ms) => ms >= minMs, expected);
}

export const positiveDuration = durationFrom(1, "a duration longer than nothing, such as 30s");

const numberExpected =
  "a number that every JSON reader reads the same: between -(2^53 - 1) and 2^53 - 1, in quotes if it is meant as text";

/** A number that readers do not agree on is refused: it would be written into messages as another. */
export const jsonValue = z
  .unknown()
  .meta({ id: "json", description: "Any JSON value." })
  .transform((value, context) => {
    const walk = (part: unknown, path: ValuePath): void => {
      if (typeof part === "number" && !(Math.abs(part) <= Number.MAX_SAFE_INTEGER)) {
        context.addIssue({ code: "custom", message: numberExpected, path: [...path] });
      }
      if (typeof part !== "object" || part === null) return;
      for (const [name, member] of Object.entries(part)) {
        walk(member, [...path, Array.isArray(part) ? Number(name) : name]);
      }
    };
    walk(value, []);
    return value as JsonValue;
  });

const environmentName = line("the name of an environment variable").regex(
  /^[A-Za-z_][A-Za-z0-9_]{0,254}$/,
  "the name of an environment variable",
);

export const secretExpected =
  "{ file: /path/of/a/file } or { env: NAME_OF_A_VARIABLE }; a secret never stands in the document itself";

/** Where a secret is read from. Exactly one key, so that nobody wonders which one counts. */
export const secretRef = section(
  { file: line("the path of a file").optional(), env: environmentName.optional() },
  secretExpected,
).refine((ref) => (ref.file === undefined) !== (ref.env === undefined), ifClean(secretExpected));

export type SecretRefKeys = z.output<typeof secretRef>;
