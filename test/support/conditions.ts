import { addressPatterns } from "../../src/job/rules/patterns/ip-address-patterns.ts";
import {
  numberPatterns,
  durationPatterns,
  momentPatterns,
} from "../../src/job/rules/patterns/number-and-time-patterns.ts";
import type { PatternKind } from "../../src/job/rules/patterns/define-patterns.ts";
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

function parsed<T>(kind: PatternKind<T>, value: unknown): readonly T[] {
  const result = kind.parse(value);
  if (!result.ok) throw new Error(result.expected);
  return result.value;
}

/** Conditions with patterns as a document writes them. */
export function text(field: TextField, value: unknown): Condition {
  return { kind: "text", field, oneOf: parsed(textPatterns, value) };
}
export function header(name: string, value: unknown, of: "request" | "response" = "request"): Condition {
  return { kind: "header", of, name, oneOf: parsed(headerPatterns, value) };
}
export function number(field: NumberField, value: unknown): Condition {
  return { kind: "number", field, oneOf: parsed(numberPatterns, value) };
}
export function duration(field: DurationField, value: unknown): Condition {
  return { kind: "duration", field, oneOf: parsed(durationPatterns, value) };
}
export function moment(field: NumberField, value: unknown): Condition {
  return { kind: "number", field, oneOf: parsed(momentPatterns, value) };
}
export function address(value: unknown): Condition {
  return { kind: "address", field: "callerIp", oneOf: parsed(addressPatterns, value) };
}
export function value(field: BodyField, pointer: string, wanted: unknown): Condition {
  return { kind: "value", field, pointer, oneOf: parsed(valuePatterns, wanted) };
}
export function rule(name: string, when: Condition, more: Partial<RuleSpec> = {}): RuleSpec {
  return { name, when, then: "republish", ...more };
}
