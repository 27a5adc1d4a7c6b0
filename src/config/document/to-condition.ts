import type { BodyField, Condition, DurationField, NumberField, TextField } from "../../rules/spec.ts";
import type { ValuePath } from "../problem.ts";
import type { WhenKeys } from "./schema/when-schema.ts";

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

/** Where the parts of conditions stand in the document. */
export type Places = Map<Condition, ValuePath>;

/**
 * The condition that a `when` says: its keys are and. A single test stands for itself. What is costly to ask comes last. `path` leads to
 * the `when`; where each part of it stands is noted in `places`.
 */
export function toCondition(when: WhenKeys | "any", path: ValuePath = [], places?: Places): Condition {
  if (when === "any") return placed({ kind: "any" });
  const tests: Condition[] = [];
  const add = (condition: Condition, ...keys: ValuePath): void => {
    places?.set(condition, [...path, ...keys]);
    tests.push(condition);
  };
  const inner = (keys: WhenKeys, ...way: ValuePath): Condition =>
    toCondition(keys, [...path, ...way], places);

  for (const field of numberFields) {
    const oneOf = when[field];
    if (oneOf !== undefined) add({ kind: "number", field, oneOf }, field);
  }
  for (const field of durationFields) {
    const oneOf = when[field];
    if (oneOf !== undefined) add({ kind: "duration", field, oneOf }, field);
  }
  for (const field of textFields) {
    const oneOf = when[field];
    if (oneOf !== undefined) add({ kind: "text", field, oneOf }, field);
  }
  if (when.labels !== undefined) add({ kind: "text", field: "label", oneOf: when.labels }, "labels");
  for (const key of ["callerIp", "callerIP"] as const) {
    const oneOf = when[key];
    if (oneOf !== undefined) add({ kind: "address", field: "callerIp", oneOf }, key);
  }
  for (const key of ["header", "responseHeader"] as const) {
    const of = headerKeys[key];
    for (const [name, oneOf] of Object.entries(when[key] ?? {})) {
      add({ kind: "header", of, name, oneOf }, key, name);
    }
  }
  for (const field of bodyFields) {
    const wanted = when[field];
    if (wanted === undefined) continue;
    if (wanted.kind === "text") add({ kind: "text", field, oneOf: wanted.oneOf }, field);
    else {
      for (const { pointer, oneOf } of wanted.of) {
        add({ kind: "value", field, pointer, oneOf }, field, pointer);
      }
    }
  }
  if (when.all !== undefined) tests.push(...when.all.map((keys, index) => inner(keys, "all", index)));
  if (when.any !== undefined) {
    add({ kind: "some", of: when.any.map((keys, index) => inner(keys, "any", index)) }, "any");
  }
  if (when.not !== undefined) add({ kind: "not", of: inner(when.not, "not") }, "not");
  const [only, ...others] = tests;
  return only !== undefined && others.length === 0 ? only : placed({ kind: "all", of: tests });

  function placed(condition: Condition): Condition {
    places?.set(condition, path);
    return condition;
  }
}
