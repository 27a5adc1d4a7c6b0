import { addressPatterns } from "../../src/job/rules/patterns/ip-address-patterns.ts";
import {
  numberPatterns,
  durationPatterns,
  momentPatterns,
} from "../../src/job/rules/patterns/number-and-time-patterns.ts";
import type { Parsed } from "../../src/job/rules/parsed.ts";
import { headerPatterns, textPatterns } from "../../src/job/rules/patterns/text-patterns.ts";
import { valuePatterns } from "../../src/job/rules/patterns/json-value-patterns.ts";
import type {
  BodyField,
  Condition,
  DurationField,
  NumberField,
  RuleSpec,
  TextField,
} from "../../src/job/rules/rule-spec.ts";

/** Conditions with patterns as a document writes them. */
function parsed<T>(result: Parsed<T>): T {
  if (!result.ok) throw new Error(result.expected);
  return result.value;
}
export const text = (field: TextField, value: unknown): Condition => ({
  kind: "text",
  field,
  oneOf: parsed(textPatterns.parse(value)),
});
export const header = (name: string, value: unknown, of: "request" | "response" = "request"): Condition => ({
  kind: "header",
  of,
  name,
  oneOf: parsed(headerPatterns.parse(value)),
});
export const number = (field: NumberField, value: unknown): Condition => ({
  kind: "number",
  field,
  oneOf: parsed(numberPatterns.parse(value)),
});
export const duration = (field: DurationField, value: unknown): Condition => ({
  kind: "duration",
  field,
  oneOf: parsed(durationPatterns.parse(value)),
});
export const moment = (field: NumberField, value: unknown): Condition => ({
  kind: "number",
  field,
  oneOf: parsed(momentPatterns.parse(value)),
});
export const address = (value: unknown): Condition => ({
  kind: "address",
  field: "callerIp",
  oneOf: parsed(addressPatterns.parse(value)),
});
export const value = (field: BodyField, pointer: string, wanted: unknown): Condition => ({
  kind: "value",
  field,
  pointer,
  oneOf: parsed(valuePatterns.parse(wanted)),
});
export const rule = (name: string, when: Condition, more: Partial<RuleSpec> = {}): RuleSpec => ({
  name,
  when,
  then: "republish",
  ...more,
});
