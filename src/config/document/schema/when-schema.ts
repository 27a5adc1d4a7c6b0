import * as z from "zod";
import { isObject } from "../../../job/message/json-value.ts";
import { parsePointer } from "../../../job/message/json-pointer.ts";
import { addressPatterns } from "../../../job/rules/patterns/ip-address-patterns.ts";
import {
  durationPatterns,
  momentPatterns,
  numberPatterns,
} from "../../../job/rules/patterns/number-and-time-patterns.ts";
import type { PatternKind } from "../../../job/rules/patterns/define-patterns.ts";
import { mismatchesOf } from "../../../job/rules/parsed.ts";
import { headerPatterns, textPatterns } from "../../../job/rules/patterns/text-patterns.ts";
import { valuePatterns } from "../../../job/rules/patterns/json-value-patterns.ts";
import type { BodyField, DurationField, Leaf, NumberField, TextField } from "../../../job/rules/rule-spec.ts";
import { isJsonPath, pointerExpected } from "./propose-pointer.ts";
import { atKey, headerName, key, parsedFrom, notEmpty, section } from "./building-blocks.ts";

export interface WhenKeys {
  readonly tests: readonly PlacedTest[];
  readonly all?: readonly WhenKeys[] | undefined;
  readonly any?: readonly WhenKeys[] | undefined;
  readonly not?: WhenKeys | undefined;
}

export interface PlacedTest {
  readonly test: Leaf;
  readonly place: readonly string[];
}

/** Keys whose values are patterns of one kind. The kind's JSON Schema is one definition for all of them. */
function testsOf<Field, Pattern>(
  { parse, schema }: PatternKind<Pattern>,
  toTest: (field: Field, oneOf: readonly Pattern[]) => Leaf,
) {
  const input = z.unknown().meta(schema);
  return (field: Field) =>
    parsedFrom(input, (value) => {
      const parsed = parse(value);
      return parsed.ok ? { ok: true, value: [toTest(field, parsed.value)] } : parsed;
    });
}

const text = testsOf(textPatterns, (field: TextField, oneOf) => ({ kind: "text", field, oneOf }));
const number = testsOf(numberPatterns, (field: NumberField, oneOf) => ({ kind: "number", field, oneOf }));
const moment = testsOf(momentPatterns, (field: NumberField, oneOf) => ({ kind: "number", field, oneOf }));
const duration = testsOf(durationPatterns, (field: DurationField, oneOf) => ({
  kind: "duration",
  field,
  oneOf,
}));
const address = testsOf(addressPatterns, (field: "callerIp", oneOf) => ({ kind: "address", field, oneOf }));
const headerValues = testsOf(headerPatterns, (of: "request" | "response", oneOf) => ({
  kind: "header",
  of,
  name: "",
  oneOf,
}));

function headers(of: "request" | "response") {
  return z
    .record(headerName, headerValues(of), "a mapping of header names to patterns")
    .refine(...notEmpty("at least one header name"))
    .transform((byName): readonly Leaf[] =>
      Object.entries(byName).flatMap(([name, tests]) => tests.map((test) => ({ ...test, name }) as Leaf)),
    );
}

const bodyInput = z.unknown().meta({
  id: "bodyPattern",
  description:
    "A text pattern for the whole, or a mapping of JSON pointers (/tenant) to values, of which all must match.",
  examples: ["*timeout*", { "/tenant": "acme", "/schema": "< 3" }],
  anyOf: [
    ...textPatterns.schema.anyOf,
    {
      type: "object",
      propertyNames: { pattern: "^(/.*)?$" },
      additionalProperties: { anyOf: valuePatterns.schema.anyOf },
      minProperties: 1,
    },
  ],
});

function body(field: BodyField) {
  return bodyInput.transform((value, context): readonly Leaf[] => {
    const report = (message: string, path: readonly (string | number)[], params = {}): void =>
      context.addIssue({ code: "custom", message, path: [...path], params });
    // The forms of a text pattern are words; a pointer begins with a slash or is empty.
    if (!isObject(value) || !Object.keys(value).some((name) => name === "" || name.startsWith("/"))) {
      const result = textPatterns.parse(value);
      if (result.ok) return [{ kind: "text", field, oneOf: result.value }];
      if (isObject(value) && !hasForms(value)) {
        for (const name of Object.keys(value)) report(pointerExpected(name), [name], atKey);
        return z.NEVER;
      }
      const hint = isObject(value) ? ", or a mapping of JSON pointers (/tenant) to values" : "";
      for (const { expected, at = [] } of mismatchesOf(result)) {
        report(at.length === 0 ? expected + hint : expected, at);
      }
      return z.NEVER;
    }
    return Object.entries(value).flatMap(([pointer, wanted]): readonly Leaf[] => {
      if (parsePointer(pointer) === null || isJsonPath(pointer)) {
        report(pointerExpected(pointer), [pointer], atKey);
        return [];
      }
      const result = valuePatterns.parse(wanted);
      if (result.ok) return [{ kind: "value", field, pointer, oneOf: result.value }];
      for (const { expected, at = [] } of mismatchesOf(result, pointer)) report(expected, at);
      return [];
    });
  });
}

function hasForms(value: object): boolean {
  const keys = Object.keys(value);
  return keys.length === 0 || keys.some((name) => textPatterns.forms.includes(name));
}

const expected = "a JSON pointer (/order/id)";
const pointer = z
  .string(expected)
  .regex(/^(\/.*)?$/, expected)
  .refine((text) => parsePointer(text) !== null, expected);

const superseded = z
  .union([z.literal(true), z.strictObject({ body: pointer }, "body alone")], `true, or { body: ${expected} }`)
  .transform((value): readonly Leaf[] => {
    const by = value === true ? null : value.body;
    return [{ kind: "superseded", field: "superseded", pointer: by, oneOf: [{ kind: "some" }] }];
  });

export const whenKeys: z.ZodType<WhenKeys> = z
  .lazy(() =>
    section({
      responseStatus: key(
        number("responseStatus"),
        "Status of the last answer; none: there was no HTTP answer.",
      ),
      responseHeader: key(headers("response"), "Headers of the last answer: name to patterns."),
      responseBody: key(body("responseBody"), "Body of the last answer: a text, or JSON pointers to values."),
      responseBodyBase64: key(text("responseBodyBase64"), "Base64 of an answer's body that is not UTF-8."),
      url: key(text("url"), "The whole destination address."),
      host: key(text("host"), "Host of the destination, with or without its port, in lower case."),
      path: key(text("path"), "Path of the destination, without its query."),
      topicName: key(text("topicName"), "URL Group it was sent to."),
      endpointName: key(text("endpointName"), "Endpoint within the URL Group."),
      queueName: key(text("queueName"), "Queue it was enqueued on."),
      label: key(text("label"), "Any of its labels."),
      labels: key(text("label"), "The same as label."),
      method: key(text("method"), "HTTP method, whatever its case."),
      header: key(headers("request"), "Headers sent to the destination: name to patterns."),
      body: key(body("body"), "Its body: a text, or JSON pointers to values."),
      bodyBase64: key(text("bodyBase64"), "Base64 of a body that is not UTF-8."),
      size: key(number("size"), "Bytes of its body."),
      callerIp: key(address("callerIp"), "Who published it: address or network."),
      callerIP: key(address("callerIp"), "The same as callerIp."),
      scheduleId: key(text("scheduleId"), "Schedule that triggered it."),
      callback: key(text("callback"), "Its callback address."),
      failureCallback: key(text("failureCallback"), "Its failure callback address."),
      flowControlKey: key(text("flowControlKey"), "Its flow control key."),
      rate: key(number("rate"), "Flow control: rate."),
      period: key(number("period"), "Flow control: period in seconds."),
      parallelism: key(number("parallelism"), "Flow control: parallelism."),
      maxRetries: key(number("maxRetries"), "Retries the service makes after the first attempt."),
      retryDelayExpression: key(text("retryDelayExpression"), "Its retry delay expression."),
      dlqId: key(text("dlqId"), "Id of the dead letter."),
      messageId: key(text("messageId"), "Id of the message."),
      createdAt: key(moment("createdAt"), "When the message was created."),
      notBefore: key(moment("notBefore"), "When its first delivery was allowed."),
      age: key(duration("age"), "Time since it entered the DLQ."),
      messageAge: key(duration("messageAge"), "Time since its root message was created."),
      timeLeft: key(duration("timeLeft"), "Time until its retention ends."),
      attempt: key(number("attempt"), "Redrives already made."),
      superseded: key(superseded, "A newer letter of its schedule, or of the same value in its body, waits."),
      all: key(conditionList, "Each of these matches."),
      any: key(conditionList, "At least one of these matches."),
      not: key(whenKeys, "This does not match."),
    })
      .refine(...notEmpty("at least one test, or the word any"))
      .transform(({ all, any, not, ...fields }): WhenKeys => ({ tests: toTests(fields), all, any, not })),
  )
  .meta({ id: "when" });

const conditionList = z
  .array(whenKeys, "a list of mappings")
  .min(1, "at least one mapping")
  .max(1_000, "at most 1000 mappings");

export const when = z.union([z.literal("any"), whenKeys], "the word any, or a mapping of tests");

/** In the order in which they are asked: what is costly to ask comes last. */
const byCost: readonly Leaf["kind"][] = [
  "number",
  "duration",
  "text",
  "address",
  "header",
  "value",
  "superseded",
];

function toTests(fields: Readonly<Record<string, readonly Leaf[] | undefined>>): readonly PlacedTest[] {
  const tests = Object.entries(fields).flatMap(([name, leaves = []]) =>
    leaves.map((test) => ({ test, place: [name, ...placeIn(test)] })),
  );
  return tests.toSorted((one, other) => costOf(one.test) - costOf(other.test));
}

function placeIn(test: Leaf): readonly string[] {
  return test.kind === "header" ? [test.name] : test.kind === "value" ? [test.pointer] : [];
}

function costOf(test: Leaf): number {
  const isBody = test.kind === "text" && (test.field === "body" || test.field === "responseBody");
  return byCost.indexOf(isBody ? "value" : test.kind);
}
