import type { Condition, DurationField, NumberField, TextField } from "../../rules/spec.ts";
import type { WhenKeys } from "./rule-schema.ts";

const textFields: readonly TextField[] = ["url", "host", "path", "topicName", "queueName", "label", "method"];
const numberFields: readonly NumberField[] = ["responseStatus", "attempt"];
const durationFields: readonly DurationField[] = ["age", "messageAge"];

/** The condition that a `when` says: its keys are and. A single test stands for itself. */
export function toCondition(when: WhenKeys | "any"): Condition {
  if (when === "any") return { kind: "any" };
  const tests: Condition[] = [];
  for (const field of numberFields) {
    const oneOf = when[field];
    if (oneOf !== undefined) tests.push({ kind: "number", field, oneOf });
  }
  for (const field of textFields) {
    const oneOf = when[field];
    if (oneOf !== undefined) tests.push({ kind: "text", field, oneOf });
  }
  for (const [name, oneOf] of Object.entries(when.header ?? {})) tests.push({ kind: "header", name, oneOf });
  for (const field of durationFields) {
    const oneOf = when[field];
    if (oneOf !== undefined) tests.push({ kind: "duration", field, oneOf });
  }
  if (when.all !== undefined) tests.push(...when.all.map(toCondition));
  if (when.any !== undefined) tests.push({ kind: "some", of: when.any.map(toCondition) });
  if (when.not !== undefined) tests.push({ kind: "not", of: toCondition(when.not) });
  const [only, ...others] = tests;
  return only !== undefined && others.length === 0 ? only : { kind: "all", of: tests };
}
