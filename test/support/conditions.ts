import { parseDurationPatterns } from "../../src/rules/patterns/parse-durations.ts";
import { parseNumberPatterns } from "../../src/rules/patterns/parse-numbers.ts";
import { parseAddressPatterns } from "../../src/rules/patterns/parse-addresses.ts";
import { parseMomentPatterns } from "../../src/rules/patterns/parse-moments.ts";
import { parseTextPatterns } from "../../src/rules/patterns/parse-texts.ts";
import { parseValuePatterns } from "../../src/rules/patterns/parse-values.ts";
import type {
  BodyField,
  Condition,
  DurationField,
  NumberField,
  RuleSpec,
  TextField,
} from "../../src/rules/spec.ts";
import type { Parsed } from "../../src/rules/patterns/parsed.ts";

/** Conditions with patterns as a document writes them. */
function parsed<T>(result: Parsed<T>): T {
  if (!result.ok) throw new Error(result.expected);
  return result.value;
}
export const text = (field: TextField, value: unknown): Condition => ({
  kind: "text",
  field,
  oneOf: parsed(parseTextPatterns(value)),
});
export const header = (name: string, value: unknown, of: "request" | "response" = "request"): Condition => ({
  kind: "header",
  of,
  name,
  oneOf: parsed(parseTextPatterns(value)),
});
export const number = (field: NumberField, value: unknown): Condition => ({
  kind: "number",
  field,
  oneOf: parsed(parseNumberPatterns(value)),
});
export const duration = (field: DurationField, value: unknown): Condition => ({
  kind: "duration",
  field,
  oneOf: parsed(parseDurationPatterns(value)),
});
export const moment = (field: NumberField, value: unknown): Condition => ({
  kind: "number",
  field,
  oneOf: parsed(parseMomentPatterns(value)),
});
export const address = (value: unknown): Condition => ({
  kind: "address",
  field: "callerIp",
  oneOf: parsed(parseAddressPatterns(value)),
});
export const value = (field: BodyField, pointer: string, wanted: unknown): Condition => ({
  kind: "value",
  field,
  pointer,
  oneOf: parsed(parseValuePatterns(wanted)),
});
export const rule = (name: string, when: Condition, more: Partial<RuleSpec> = {}): RuleSpec => ({
  name,
  when,
  then: "republish",
  ...more,
});
