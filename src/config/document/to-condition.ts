import type { BodyField, Condition, DurationField, NumberField, TextField } from "../../rules/spec.ts";
import type { WhenKeys } from "./when-schema.ts";

const textFields = [
  "url",
  "host",
  "path",
  "topicName",
  "endpointName",
  "queueName",
  "label",
  "method",
  "scheduleId",
  "callback",
  "failureCallback",
  "flowControlKey",
  "retryDelayExpression",
  "dlqId",
  "messageId",
  "bodyBase64",
  "responseBodyBase64",
] as const satisfies readonly TextField[];
const numberFields: readonly NumberField[] = [
  "responseStatus",
  "attempt",
  "size",
  "maxRetries",
  "rate",
  "period",
  "parallelism",
  "createdAt",
  "notBefore",
];
const durationFields: readonly DurationField[] = ["age", "messageAge", "timeLeft"];
const bodyFields: readonly BodyField[] = ["body", "responseBody"];
const headerKeys = { header: "request", responseHeader: "response" } as const;

/** The condition that a `when` says: its keys are and. A single test stands for itself. What is costly to ask comes last. */
export function toCondition(when: WhenKeys | "any"): Condition {
  if (when === "any") return { kind: "any" };
  const tests: Condition[] = [];
  for (const field of numberFields) {
    const oneOf = when[field];
    if (oneOf !== undefined) tests.push({ kind: "number", field, oneOf });
  }
  for (const field of durationFields) {
    const oneOf = when[field];
    if (oneOf !== undefined) tests.push({ kind: "duration", field, oneOf });
  }
  for (const field of textFields) {
    const oneOf = when[field];
    if (oneOf !== undefined) tests.push({ kind: "text", field, oneOf });
  }
  if (when.labels !== undefined) tests.push({ kind: "text", field: "label", oneOf: when.labels });
  for (const oneOf of [when.callerIp, when.callerIP]) {
    if (oneOf !== undefined) tests.push({ kind: "address", field: "callerIp", oneOf });
  }
  for (const key of ["header", "responseHeader"] as const) {
    const of = headerKeys[key];
    for (const [name, oneOf] of Object.entries(when[key] ?? {})) {
      tests.push({ kind: "header", of, name, oneOf });
    }
  }
  for (const field of bodyFields) {
    const wanted = when[field];
    if (wanted === undefined) continue;
    if (wanted.kind === "text") tests.push({ kind: "text", field, oneOf: wanted.oneOf });
    else {
      for (const { pointer, oneOf } of wanted.of) tests.push({ kind: "value", field, pointer, oneOf });
    }
  }
  if (when.all !== undefined) tests.push(...when.all.map(toCondition));
  if (when.any !== undefined) tests.push({ kind: "some", of: when.any.map(toCondition) });
  if (when.not !== undefined) tests.push({ kind: "not", of: toCondition(when.not) });
  const [only, ...others] = tests;
  return only !== undefined && others.length === 0 ? only : { kind: "all", of: tests };
}
