import { isObject } from "../../../message/json-value.ts";
import * as z from "zod";
import { isToken } from "../../../message/header-values.ts";
import { parsePointer } from "../../../message/json-pointer.ts";
import { parseAddressPatterns } from "../../../rules/patterns/parse-addresses.ts";
import { parseDurationPatterns } from "../../../rules/patterns/parse-durations.ts";
import { parseMomentPatterns } from "../../../rules/patterns/parse-moments.ts";
import { parseNumberPatterns } from "../../../rules/patterns/parse-numbers.ts";
import { parseTextPatterns } from "../../../rules/patterns/parse-texts.ts";
import { parseValuePatterns } from "../../../rules/patterns/parse-values.ts";
import { misfitsOf } from "../../../rules/patterns/parsed.ts";
import type {
  AddressPattern,
  NumberField,
  NumberPattern,
  TextField,
  TextPattern,
  ValuePattern,
} from "../../../rules/spec.ts";
import {
  addressPatternMeta,
  bodyPatternMeta,
  durationPatternMeta,
  momentPatternMeta,
  numberPatternMeta,
  textForms,
  textPatternMeta,
} from "./pattern-meta.ts";
import { atKey, key, parsed, saysSomething, section } from "./shapes.ts";

const texts = parsed(parseTextPatterns, textPatternMeta);
const numbers = parsed(parseNumberPatterns, numberPatternMeta);
const moments = parsed(parseMomentPatterns, momentPatternMeta);
const durations = parsed(parseDurationPatterns, durationPatternMeta);
const addresses = parsed(parseAddressPatterns, addressPatternMeta);

/** What a body is asked for: the whole text, or values inside its JSON, of which all must hold. */
export type BodyTests =
  | { readonly kind: "text"; readonly oneOf: readonly TextPattern[] }
  | {
      readonly kind: "values";
      readonly of: readonly { readonly pointer: string; readonly oneOf: readonly ValuePattern[] }[];
    };

const bodies = z
  .unknown()
  .meta(bodyPatternMeta)
  .transform((value, context): BodyTests => {
    if (!isObject(value) || !hasPointers(value)) {
      const result = parseTextPatterns(value);
      if (result.ok) return { kind: "text", oneOf: result.value };
      if (isObject(value) && !hasForms(value)) {
        for (const name of Object.keys(value)) {
          const message = `${JSON.stringify(`/${name.slice(0, 60)}`)}, a JSON pointer, which begins with a slash`;
          context.addIssue({ code: "custom", message, path: [name], params: atKey });
        }
        return z.NEVER;
      }
      const hint = isObject(value) ? ", or a mapping of JSON pointers (/tenant) to values" : "";
      for (const { expected, at } of misfitsOf(result)) {
        const path = [...(at ?? [])];
        context.addIssue({ code: "custom", message: path.length === 0 ? expected + hint : expected, path });
      }
      return z.NEVER;
    }
    const tests: { readonly pointer: string; readonly oneOf: readonly ValuePattern[] }[] = [];
    for (const [pointer, wanted] of Object.entries(value)) {
      const result = parseValuePatterns(wanted);
      if (parsePointer(pointer) === null) {
        const message = "a JSON pointer such as /tenant or /items/0/id (~1 for a slash in a name, ~0 for ~)";
        context.addIssue({ code: "custom", message, path: [pointer], params: atKey });
      } else if (result.ok) tests.push({ pointer, oneOf: result.value });
      else {
        for (const { expected, at } of misfitsOf(result, pointer)) {
          context.addIssue({ code: "custom", message: expected, path: [...(at ?? [])] });
        }
      }
    }
    return { kind: "values", of: tests };
  });

/** Whether one of the keys is a form of a text pattern; an empty mapping is nothing of either. */
function hasForms(value: object): boolean {
  const keys = Object.keys(value);
  return keys.length === 0 || keys.some((name) => Object.hasOwn(textForms.properties, name));
}

/** The forms of a text pattern are words; a pointer begins with a slash or is empty. */
function hasPointers(value: object): boolean {
  return Object.keys(value).some((name) => name === "" || name.startsWith("/"));
}

const headerName = z
  .string()
  .max(256, { error: "a header name" })
  .refine(isToken, { error: "a header name" });

const headers = z
  .record(headerName, texts, { error: "a mapping of header names to patterns" })
  .refine(...saysSomething("at least one header name"));

type PlainTextField = Exclude<TextField, "body" | "responseBody">;
type Headers = Readonly<Record<string, readonly TextPattern[]>> | undefined;

/** What `when` says, before it becomes a Condition. */
export interface WhenKeys
  extends
    Readonly<Partial<Record<PlainTextField | "labels", readonly TextPattern[] | undefined>>>,
    Readonly<Partial<Record<NumberField, readonly NumberPattern[] | undefined>>>,
    Readonly<Partial<Record<"age" | "messageAge" | "timeLeft", readonly NumberPattern[] | undefined>>>,
    Readonly<Partial<Record<"callerIp" | "callerIP", readonly AddressPattern[] | undefined>>>,
    Readonly<Partial<Record<"body" | "responseBody", BodyTests | undefined>>> {
  readonly header?: Headers;
  readonly responseHeader?: Headers;
  readonly all?: readonly WhenKeys[] | undefined;
  readonly any?: readonly WhenKeys[] | undefined;
  readonly not?: WhenKeys | undefined;
}

export const whenKeys: z.ZodType<WhenKeys> = z
  .lazy(() =>
    section({
      responseStatus: key(numbers, "Status of the last answer; none: there was no HTTP answer."),
      responseHeader: key(headers, "Headers of the last answer: name to patterns."),
      responseBody: key(bodies, "Body of the last answer: a text, or JSON pointers to values."),
      responseBodyBase64: key(texts, "Base64 of an answer's body that is not UTF-8."),
      url: key(texts, "The whole destination address."),
      host: key(texts, "Host of the destination, with or without its port, in lower case."),
      path: key(texts, "Path of the destination, without its query."),
      topicName: key(texts, "URL Group it was sent to."),
      endpointName: key(texts, "Endpoint within the URL Group."),
      queueName: key(texts, "Queue it was enqueued on."),
      label: key(texts, "Any of its labels."),
      labels: key(texts, "The same as label."),
      method: key(texts, "HTTP method, whatever its case."),
      header: key(headers, "Headers sent to the destination: name to patterns."),
      body: key(bodies, "Its body: a text, or JSON pointers to values."),
      bodyBase64: key(texts, "Base64 of a body that is not UTF-8."),
      size: key(numbers, "Bytes of its body."),
      callerIp: key(addresses, "Who published it: address or network."),
      callerIP: key(addresses, "The same as callerIp."),
      scheduleId: key(texts, "Schedule that triggered it."),
      callback: key(texts, "Its callback address."),
      failureCallback: key(texts, "Its failure callback address."),
      flowControlKey: key(texts, "Its flow control key."),
      rate: key(numbers, "Flow control: rate."),
      period: key(numbers, "Flow control: period in seconds."),
      parallelism: key(numbers, "Flow control: parallelism."),
      maxRetries: key(numbers, "Retries the service makes after the first attempt."),
      retryDelayExpression: key(texts, "Its retry delay expression."),
      dlqId: key(texts, "Id of the dead letter."),
      messageId: key(texts, "Id of the message."),
      createdAt: key(moments, "When the message was created."),
      notBefore: key(moments, "When its first delivery was allowed."),
      age: key(durations, "Time since it entered the DLQ."),
      messageAge: key(durations, "Time since its root message was created."),
      timeLeft: key(durations, "Time until its retention ends."),
      attempt: key(numbers, "Redrives already made."),
      all: key(conditionList, "Each of these holds."),
      any: key(conditionList, "At least one of these holds."),
      not: key(whenKeys, "This does not hold."),
    }).refine(...saysSomething("at least one test, or the word any")),
  )
  .meta({ id: "when" });

const conditionList = z
  .array(whenKeys, { error: "a list of mappings" })
  .min(1, { error: "at least one mapping" })
  .max(1_000, { error: "at most 1000 mappings" });

export const when = z.union([z.literal("any"), whenKeys], { error: "the word any, or a mapping of tests" });
