import * as z from "zod";
import { isDestination } from "../../message/destination.ts";
import { isForwardable } from "../../message/forward-headers.ts";
import { isFieldValue, isToken } from "../../message/header-values.ts";
import { lineageHeaderName } from "../../message/lineage.ts";
import { parseDateOrTime } from "../../rules/parse-date-or-time.ts";
import { parseDurationPatterns } from "../../rules/parse-durations.ts";
import { parseNumberPatterns } from "../../rules/parse-numbers.ts";
import { parseTextPatterns } from "../../rules/parse-texts.ts";
import type { Parsed } from "../../rules/parsed.ts";
import type { TextPattern } from "../../rules/spec.ts";
import { duration, positiveDuration } from "./schedule-schema.ts";
import { line, name, oneOf, parsed, saysSomething, section, unsupported, wholeNumber } from "./shapes.ts";

const textMeta = { type: ["string", "array"], examples: ["orders", "*.example.com", "none"] };
const numberMeta = { type: ["integer", "string", "array"], examples: [503, "502-504", "5xx", "< 3", "none"] };
const durationMeta = { type: ["string", "array"], examples: ["> 48h", "1h-2h"] };

const texts = parsed(parseTextPatterns, textMeta).optional();
const numbers = parsed(parseNumberPatterns, numberMeta).optional();
const durations = parsed(parseDurationPatterns, durationMeta).optional();

const headerName = z
  .string()
  .max(256, { error: "a header name" })
  .refine(isToken, { error: "a header name" });

/** What `when` says, before it becomes a Condition. */
export interface WhenKeys {
  readonly url?: readonly TextPattern[] | undefined;
  readonly host?: readonly TextPattern[] | undefined;
  readonly path?: readonly TextPattern[] | undefined;
  readonly topicName?: readonly TextPattern[] | undefined;
  readonly queueName?: readonly TextPattern[] | undefined;
  readonly label?: readonly TextPattern[] | undefined;
  readonly method?: readonly TextPattern[] | undefined;
  readonly responseStatus?: z.output<typeof numbers>;
  readonly attempt?: z.output<typeof numbers>;
  readonly age?: z.output<typeof durations>;
  readonly messageAge?: z.output<typeof durations>;
  readonly header?: Readonly<Record<string, readonly TextPattern[]>> | undefined;
  readonly all?: readonly WhenKeys[] | undefined;
  readonly any?: readonly WhenKeys[] | undefined;
  readonly not?: WhenKeys | undefined;
}

/** Fields of a record (service-interface.md 2.3) and derived names that the language has and this version does not ask. */
const unsupportedFields = [
  "body",
  "bodyBase64",
  "callback",
  "callerIP",
  "callerIp",
  "createdAt",
  "dlqId",
  "endpointName",
  "failureCallback",
  "flowControlKey",
  "labels",
  "maxRetries",
  "messageId",
  "notBefore",
  "parallelism",
  "period",
  "rate",
  "responseBody",
  "responseBodyBase64",
  "responseHeader",
  "scheduleId",
  "size",
  "timeLeft",
] as const;

const whenKeys: z.ZodType<WhenKeys> = z.lazy(() =>
  section({
    responseStatus: numbers,
    url: texts,
    host: texts,
    path: texts,
    topicName: texts,
    queueName: texts,
    label: texts,
    method: texts,
    header: z
      .record(headerName, parsed(parseTextPatterns, textMeta), {
        error: "a mapping of header names to patterns",
      })
      .refine(...saysSomething("at least one header name"))
      .optional(),
    age: durations,
    messageAge: durations,
    attempt: numbers,
    all: conditionList.optional(),
    any: conditionList.optional(),
    not: whenKeys.optional(),
    ...Object.fromEntries(unsupportedFields.map((field) => [field, unsupported()])),
  }).refine(...saysSomething("at least one test, or the word any")),
);

const conditionList = z
  .array(whenKeys, { error: "a list of mappings" })
  .min(1, { error: "at least one mapping" });

const when = z.union([z.literal("any"), whenKeys], { error: "the word any, or a mapping of tests" });

const headerValue = z
  .string({ error: "text, in quotes where it looks like a number, or null to remove the header" })
  .max(8_192, { error: "text of at most 8192 characters" })
  .refine(isFieldValue, { error: "text that a header can hold" })
  .nullable();

/** Names that redriver or HTTP itself writes: a rebuild passes over them. The service's own prefix is a setting; checkHeaders knows it. */
const noPrefix = " ";
const changedHeaderName = headerName.refine((header) => isForwardable(header, noPrefix), {
  error: `a header that a rule may set: not ${lineageHeaderName}, Host, Content-Length, User-Agent or one of the connection`,
});

/** A URL Group is not among these: it would deliver to every endpoint again, also to those that had succeeded. */
const destinationExpected =
  "an http(s) address without user and password, or a mapping of scheme, host, path";

const destinationUrl = parsed(parseDestination, { type: "string", format: "uri" });

function parseDestination(value: unknown): Parsed<string> {
  const fits = typeof value === "string" && value.length <= 2_048 && isDestination(value);
  return fits ? { ok: true, value } : { ok: false, expected: destinationExpected };
}

const destinationParts = section({
  scheme: oneOf(["http", "https"]).optional(),
  host: line("a host, with a port if needed")
    .regex(/^([A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(:\d{1,5})?$/, {
      error: "a host, with a port if needed",
    })
    .optional(),
  path: line("a path that begins with /")
    .regex(/^\/[^\s?#]*$/, { error: "a path that begins with /, without ? and #" })
    .optional(),
}).refine(...saysSomething("at least one of scheme, host, path"));

const set = section({
  destination: z.union([destinationParts, destinationUrl], { error: destinationExpected }).optional(),
  queue: line("the name of a queue").optional(),
  headers: z
    .record(changedHeaderName, headerValue, { error: "a mapping of header names to values" })
    .optional(),
  delay: z
    .union([section({ spread: positiveDuration }), duration], {
      error: "a duration such as 30s, or { spread: 10m }",
    })
    .optional(),
  retries: wholeNumber(0, 100).optional(),
  body: unsupported(),
  method: unsupported(),
}).refine(...saysSomething("at least one change"));

export const rule = section({
  name: name.optional(),
  when: when.optional(),
  then: oneOf(["republish", "drop", "hold", "park"]),
  set: set.optional(),
  ignoreAfter: parsed(parseDateOrTime, { type: "string", examples: ["2026-12-01"] }).optional(),
});

export type RuleKeys = z.output<typeof rule>;
