import * as fc from "fast-check";
import type { RecordFacts } from "../../src/job/rules/record-facts.ts";
import {
  textFields,
  type AddressPattern,
  type Condition,
  type NumberPattern,
  type RuleSpec,
  type TextField,
  type TextPattern,
  type ValuePattern,
} from "../../src/job/rules/rule-spec.ts";
import { enteredAt, factsOf } from "./letters.ts";

const words = ["a", "b", "ab", "GET", "post", "api.example.com", "/a", "https://api.example.com/a"];
const word = fc.constantFrom(...words);

type Matching = Exclude<TextPattern, { kind: "some" | "none" }>;
const matchings: fc.Arbitrary<Matching> = fc.oneof(
  word.map((value): Matching => ({ kind: "exact", value })),
  word.map((value): Matching => ({ kind: "prefix", value })),
  word.map((value): Matching => ({ kind: "suffix", value })),
  fc
    .constantFrom("*", "a*", "*b", "*.example.com", "/*", "*a*")
    .map((pattern): Matching => ({ kind: "glob", pattern })),
  fc
    .constantFrom("a", "^a", "b$", "(a|b)+", "[.]example[.]")
    .map((source): Matching => ({ kind: "regex", source })),
);
const presence = fc.constantFrom<{ kind: "some" } | { kind: "none" }>({ kind: "some" }, { kind: "none" });
const few = { maxLength: 3 };
const textPatterns: fc.Arbitrary<readonly TextPattern[]> = fc.array(
  fc.oneof({ weight: 5, arbitrary: matchings }, presence),
  few,
);
const bound = fc.oneof(
  fc.integer({ min: -10, max: 600 }),
  fc.constantFrom(-Infinity, Infinity, 60_000, 3_600_000, 259_000_000, enteredAt),
);
const numberPatterns: fc.Arbitrary<readonly NumberPattern[]> = fc.array(
  fc.oneof(
    fc
      .tuple(bound, bound)
      .map(([a, b]): NumberPattern => ({ kind: "range", from: Math.min(a, b), to: Math.max(a, b) })),
    presence,
  ),
  few,
);
const addressPatterns: fc.Arbitrary<readonly AddressPattern[]> = fc.array(
  fc.oneof(
    fc.constantFrom<AddressPattern>(
      { kind: "network", address: "10.1.2.3", bits: 32 },
      { kind: "network", address: "10.1.0.0", bits: 16 },
      { kind: "network", address: "0.0.0.0", bits: 0 },
      { kind: "network", address: "2001:db8::", bits: 32 },
    ),
    presence,
  ),
  few,
);
const valuePatterns: fc.Arbitrary<readonly ValuePattern[]> = fc.array(
  fc.oneof(
    matchings.map((pattern): ValuePattern => ({ kind: "text", pattern })),
    fc
      .tuple(fc.integer({ min: -3, max: 3 }), fc.integer({ min: -3, max: 3 }), fc.boolean(), fc.boolean())
      .map(([a, b, openFrom, openTo]): ValuePattern => ({
        kind: "number",
        from: Math.min(a, b),
        to: Math.max(a, b),
        openFrom,
        openTo,
      })),
    fc.constantFrom<ValuePattern>(
      ...[true, false, null].map((value) => ({ kind: "literal" as const, value })),
    ),
    presence,
  ),
  few,
);
const textNames = Object.keys(textFields) as readonly TextField[];
const numberFields = [
  "responseStatus",
  "attempt",
  "size",
  "maxRetries",
  "rate",
  "period",
  "parallelism",
  "createdAt",
  "notBefore",
] as const;

const leafOf = <Kind extends string, Fields extends object>(
  kind: Kind,
  fields: { readonly [Name in keyof Fields]: fc.Arbitrary<Fields[Name]> },
) => fc.record(fields).map((made) => ({ kind, ...made }));

/** Conditions of every kind over a small world, so that they often hold. */
export const { condition: conditions } = fc.letrec<{ condition: Condition; leaf: Condition }>((tie) => ({
  leaf: fc.oneof(
    fc.constant<Condition>({ kind: "any" }),
    leafOf("text", { field: fc.constantFrom(...textNames), oneOf: textPatterns }),
    leafOf("header", {
      of: fc.constantFrom("request" as const, "response" as const),
      name: fc.constantFrom("X-A", "x-a", "B", "constructor", "__proto__"),
      oneOf: textPatterns,
    }),
    leafOf("number", { field: fc.constantFrom(...numberFields), oneOf: numberPatterns }),
    leafOf("duration", {
      field: fc.constantFrom("age" as const, "messageAge" as const, "timeLeft" as const),
      oneOf: numberPatterns,
    }),
    leafOf("address", { field: fc.constant("callerIp" as const), oneOf: addressPatterns }),
    leafOf("value", {
      field: fc.constantFrom("body" as const, "responseBody" as const),
      pointer: fc.constantFrom("", "/a", "/l/1", "/l/-", "/a~1b/x", "/__proto__", "/constructor", "/a/b/c"),
      oneOf: valuePatterns,
    }),
  ),
  condition: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    tie("leaf"),
    fc.record({
      kind: fc.constantFrom("all" as const, "some" as const),
      of: fc.array(tie("condition"), { maxLength: 3 }),
    }),
    fc.record({ kind: fc.constant("not" as const), of: tie("condition") }),
  ),
}));

const jsonScalars = fc.oneof(
  fc.constantFrom("a", "b", "ab", true, false, null),
  fc.integer({ min: -3, max: 3 }),
);
const bodies = fc.oneof(
  fc.constantFrom("", "a", "{", "null", '"ab"', '{"__proto__":"a"}', '{"a":{"b":{"c":2}}}'),
  fc
    .record({ a: jsonScalars, l: fc.array(jsonScalars, few), "a/b": fc.record({ x: jsonScalars }) })
    .map((value) => JSON.stringify(value)),
);
const headers = fc.dictionary(
  fc.constantFrom("x-A", "b", "constructor"),
  fc.array(fc.constantFrom("a", "b", "ab"), { minLength: 1, maxLength: 2 }),
);
const short = fc.option(fc.constantFrom("a", "b", "ab"));
const count = fc.option(fc.nat({ max: 600 }));

/** Records of the same small world. */
/**
 * Not chained, though the second is added to the first: that would build a generator for each value, which
 * costs more than the value.
 */
export const recordFacts: fc.Arbitrary<RecordFacts> = fc
  .tuple(
    fc.record({
      url: fc.constantFrom("https://api.example.com/a", "http://ab:81", "nowhere"),
      messageId: fc.constantFrom("a", "ab"),
      topicName: short,
      endpointName: short,
      queueName: short,
      scheduleId: short,
      callback: fc.option(fc.constantFrom("https://api.example.com/a")),
      flowControlKey: short,
      labels: fc.array(fc.constantFrom("a", "b", "ab"), few),
      method: fc.constantFrom("GET", "post"),
      header: headers,
      responseHeader: headers,
      responseStatus: fc.option(fc.integer({ min: 0, max: 599 })),
      maxRetries: count,
      rate: count,
      notBefore: count,
      callerIP: fc.option(
        fc.constantFrom("10.1.2.3", "::ffff:10.1.9.9", "2001:db8:0:1::7", "9.9.9.9", "somewhere"),
      ),
      body: bodies,
      responseBody: bodies,
    }),
    fc.record({
      now: fc.oneof(
        fc.constant(enteredAt),
        fc.integer({ min: enteredAt - 1_000, max: enteredAt + 4_000_000 }),
      ),
      attempt: fc.nat({ max: 6 }),
      rootCreatedAt: fc.integer({ min: enteredAt - 4_000_000, max: enteredAt }),
    }),
  )
  .map(([fields, known]) => factsOf(fields, known));

/** Up to six rules of any kind, of which some are ignored by then. */
export const ruleLists: fc.Arbitrary<readonly (RuleSpec & { readonly ignoreAfter: number })[]> = fc
  .array(
    fc.record({
      when: conditions,
      then: fc.constantFrom("republish" as const, "drop" as const, "hold" as const, "park" as const),
      ignoreAfter: fc.constantFrom(0, enteredAt, enteredAt * 2),
    }),
    { maxLength: 6 },
  )
  .map((list) => list.map((rule, index) => ({ ...rule, name: `rule-${index}`, set: { retries: index } })));
