/**
 * An operation is what a person may order, declared once. From the declaration follow its command
 * (cli/operation-command.ts), its path of the API (console/api/operation-route.ts) and its form
 * (console/acts/operation-act.ts). Each face adds who asks and why; none of them adds what it does.
 */
import { z } from "zod";
import type { ConsoleRole } from "../../job/contracts/console-roles.ts";
import type { Core, ListingSignals } from "../../job/door.ts";
import { misused, RedriverError } from "../../job/contracts/errors.ts";
import type { DrainName, SourceId } from "../../job/contracts/ids.ts";
import { unknownDrain } from "./choose-drains.ts";
import type { PlanDesk } from "./plans/plan-desk.ts";

export interface FieldFace {
  /** In help, in the API's document, and beside the field of a form. */
  readonly about: string;
  /** Of a command: `host` in `--host <host>`. */
  readonly value: string;
  /** Of a command, if it is not as the field; a list is given one by one. */
  readonly flag?: `--${string}`;
  /** Of a command: it stands behind the command's name, without a flag. */
  readonly isArgument?: boolean;
  /** Names of drains: unknown ones are refused before the act runs. */
  readonly namesDrains?: boolean;
  /** Of a command: a moment, of which a date means the first or the last millisecond. */
  readonly edge?: "from" | "to";
  /** In a form; absent: the page knows it, and nobody types it. */
  readonly label?: string;
  /** In a form: meant if nobody chooses anything of that field. */
  readonly insteadOf?: string;
  readonly preset?: string;
  /** In a form: who leaves it empty means so. */
  readonly isEmptyMeant?: boolean;
  /** In a form: values that are often meant, each with its words. */
  readonly choices?: readonly (readonly [value: string, words: string])[];
  /** In a form other values than the choices are meant too. */
  readonly isOpen?: boolean;
}

export type FieldSchema = z.ZodType;

const faces = new WeakMap<z.ZodType, FieldFace>();

/** A field with its face. A field is made once and stands in several operations. */
export function field<Schema extends z.ZodType>(schema: Schema, face: FieldFace): Schema {
  const described = schema.describe(face.about);
  faces.set(described, face);
  return described;
}

export function faceOf(schema: z.ZodType): FieldFace {
  const face = faces.get(schema);
  if (face === undefined) throw new RedriverError("invariant-broken", "a field has no face");
  return face;
}

export interface ParkedSearch extends ListingSignals {
  readonly onListed?: (listed: number) => void;
}

/** `reason`: empty if the operation asks for none. `signal` ends it, `stopping` after what is under way. */
export interface OperationCall<Input> extends ParkedSearch {
  readonly core: Core;
  readonly input: Input;
  /** Who, as the audit shows it. */
  readonly by: string;
  readonly reason: string;
  /** Asks the daemons to look at the lanes of a source now. */
  readonly requestSweep: (source: SourceId) => Promise<void>;
  /** A command opens one if it is asked for. */
  readonly plans: () => Promise<PlanDesk>;
  readonly isWhole: boolean;
  readonly now: number;
}

/** One thing that was done. `isRefused`: it could not be done now, and was not. */
export interface Did<Row> {
  readonly said: string;
  /** Null: it is only said. */
  readonly row: Row | null;
  readonly isRefused?: boolean;
}

export interface Foresight<Found> {
  /** What the act is about, and costs: before the question on a terminal. */
  readonly tells: readonly string[];
  /** What it will not do. Every face says so, before the act or with its answer. */
  readonly warnings: readonly string[];
  /** Null: there is nothing to agree to. */
  readonly question: string | null;
  readonly found: Found;
}

export interface Operation<
  Shape extends z.ZodRawShape = z.ZodRawShape,
  Row extends object = object,
  Found = unknown,
> {
  /** As it is typed: `pause`, `lanes probe`, `plan --keep`. */
  readonly words: string;
  /** Below /api/v1. A part such as `:id` is a field. */
  readonly path: `/${string}`;
  readonly title: string;
  readonly role: ConsoleRole;
  /** The act, as in "a pause needs --reason"; null: it explains itself, and asks for none. */
  readonly reasonOf: string | null;
  /** It explains itself, and a reason may be given all the same. */
  readonly mayHaveReason?: boolean;
  /** Of an act without any: what to use, for a person who gives one all the same. */
  readonly insteadOfReason?: string;
  readonly about: string;
  /** What the act costs, beside its form, if its title does not say so. */
  readonly costs?: string;
  readonly afterwards?: string;
  /** `names`: the document is taken for its names, if its rules do not load. */
  readonly needs: "names" | "rules";
  /** Of values as they are typed, for help; the tests try it on every face. */
  readonly example: Texts;
  /** It may find that it cannot be done now. */
  readonly mayRefuse?: boolean;
  /** Of the API and the form: it goes on after the answer. */
  readonly isBegun?: boolean;
  /** Its command is written out, with these fields: it shows more than what was done. */
  readonly hasOwnCommand?: boolean;
  readonly input: z.ZodObject<Shape>;
  /** Throws `command-misused` for values that do not go together. */
  check?(input: z.output<z.ZodObject<Shape>>): void;
  /** Throws `command-misused` for a reason that is none. */
  checkReason?(reason: string): void;
  readonly row: z.ZodType<Row>;
  /** Of the console, to go on with; absent: the page that the form was on. */
  page?(row: Row): string;
  /** What was done is shown itself, not told about. */
  readonly isReading?: boolean;
  /** Looks before it acts. With `consentTo` a script has to agree beforehand, by `--yes`. */
  foresee?(call: Omit<OperationCall<z.output<z.ZodObject<Shape>>>, "reason">): Promise<Foresight<Found>>;
  readonly consentTo?: string;
  run(call: OperationCall<z.output<z.ZodObject<Shape>>>, found: Found): AsyncIterable<Did<Row>>;
}

/** Of who acts, as the audit has it with each page. */
const maxNameCharacters = 100;
export const expectedName = `a name of at most ${maxNameCharacters} visible characters`;

/** Of who acts: what cannot be seen could make one look like another. */
export function isName(text: string): boolean {
  return text.trim() !== "" && text.length <= maxNameCharacters && !/[\p{C}\p{Zl}\p{Zp}]/u.test(text);
}

/** Every replica reads a pause's before each batch, and a plan's is in the audit of each page. */
export const maxReasonCharacters = 500;

/** Throws `command-misused` for a reason that is too long, or none for this act. */
export function checkReason(operation: Pick<Operation, "checkReason">, reason: string): void {
  if (reason.length > maxReasonCharacters) {
    const expected = `expected a reason of at most ${maxReasonCharacters} characters`;
    throw misused(`${expected}, got ${reason.length}`);
  }
  operation.checkReason?.(reason);
}

export function defineOperation<Shape extends z.ZodRawShape, Row extends object, Found = undefined>(
  operation: Operation<Shape, Row, Found>,
): Operation {
  return operation;
}

/** Of fields and `reason`, as a person types them. */
export type Texts = Readonly<Record<string, string | undefined>>;

export type Input = z.output<Operation["input"]>;

/** Fields in the order of the declaration, which is that of help and forms. */
export function fieldsOf({ input }: Pick<Operation, "input">) {
  return Object.entries(input.shape).map(([name, shape]) => {
    const schema = shape as z.ZodType;
    return [name, schema, faceOf(schema)] as const;
  });
}

/** What a schema has no sentence of its own for. */
export const inWords = {
  error(issue: z.core.$ZodRawIssue): string | undefined {
    const { code, input, origin } = issue;
    if (code === "unrecognized_keys") return `no field is named ${JSON.stringify(issue.keys[0])}`;
    if (code === "invalid_value") return `expected ${issue.values.join(" or ")}`;
    if (code === "invalid_type")
      return `expected ${typeWords[issue.expected] ?? issue.expected}${input === undefined ? ", got nothing" : ""}`;
    const unit = origin === "string" ? " characters" : origin === "array" ? " values" : "";
    if (code === "too_big") return `expected at most ${issue.maximum}${unit}`;
    return code === "too_small" ? `expected at least ${issue.minimum}${unit}` : undefined;
  },
};

const typeWords: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  array: "a list",
  object: "an object",
};

/** Throws `command-misused`; `toPlace` names a field as the face shows it. */
export function parseInput(
  operation: Pick<Operation, "input">,
  values: Readonly<Record<string, unknown>>,
  toPlace: (field: string) => string,
): Input {
  const read = operation.input.safeParse(values, inWords);
  if (read.success) return read.data;
  const problems = read.error.issues.map(({ path: [name = "", ...rest], message }) =>
    [[toPlace(String(name)), ...rest].join("."), message].filter(Boolean).join(": "),
  );
  throw misused(problems.slice(0, 5).join("; "));
}

/** Before anybody is asked for anything. Throws `command-misused`. */
export function checkInput(operation: Operation, input: Input, drains: readonly DrainName[]): void {
  operation.check?.(input);
  const named = fieldsOf(operation).flatMap(([name, , face]) =>
    face.namesDrains === true ? ((input[name] ?? []) as readonly DrainName[]) : [],
  );
  const unknown = named.find((drain) => !drains.includes(drain));
  if (unknown !== undefined) throw unknownDrain(unknown, drains);
}

/** A text of a command line or a form as the value that its field takes. The field itself judges it. */
export function toFieldValue(schema: z.ZodType, text: string, face: Partial<FieldFace> = {}): unknown {
  const kind = kindOf(schema);
  if (kind === "array") return toWords(text, face);
  if (kind === "boolean") return true;
  return kind === "number" && /^\d+$/.test(text) ? Number(text) : text;
}

/** A drain's name has no blank, so a form names several in one value. */
export function toWords(text: string, { namesDrains = false }: Partial<FieldFace>): readonly string[] {
  return namesDrains ? text.split(" ") : [text];
}

export function kindOf(schema: z.ZodType): "array" | "number" | "boolean" | "text" {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault)
    return kindOf(schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodArray) return "array";
  if (schema instanceof z.ZodNumber) return "number";
  return schema instanceof z.ZodLiteral ? "boolean" : "text";
}

/** Words that a field takes alone; null: others too. */
export function wordsOf(schema: z.ZodType): readonly string[] | null {
  if (schema instanceof z.ZodOptional) return wordsOf(schema.unwrap() as z.ZodType);
  return schema instanceof z.ZodEnum ? schema.options.map(String) : null;
}
