import * as z from "zod";
import { defined } from "../../../job/message/defined.ts";
import type { JsonValue } from "../../../job/message/json-value.ts";
import { policyLosses, reportedLosses } from "../../../job/message/loss-kinds.ts";
import { parkReasons } from "../../../job/message/park-reasons.ts";
import { dropReasons, holdReasons, republishReasons } from "../../../job/rules/decision.ts";
import type { RuleTest } from "../../../job/rules/rule-test.ts";
import { noRule } from "../checks/rule-checks.ts";
import {
  duration,
  flag,
  key,
  line,
  name,
  oneOf,
  oneOrMany,
  section,
  wholeNumber,
  jsonValue,
} from "./building-blocks.ts";

const text = z
  .string("text, quote it if it looks like a number, true, false or null")
  .max(65_536, "text of at most 65536 characters");
const count = wholeNumber(0, Number.MAX_SAFE_INTEGER);
const values = z.record(z.string().max(256), oneOrMany(text, "text"), "a mapping of header names to text");
const body = jsonValue;

/** Fields of a record by their own names (service-interface.md 2.3), and the times and attempts that rules ask for. */
const given = section({
  url: key(text, "Destination address."),
  method: key(text, "HTTP method."),
  header: key(values, "Headers sent to the destination."),
  body: key(body, "Body; a mapping or list stands for its JSON."),
  bodyBase64: key(text, "Base64 of a body that is not UTF-8."),
  topicName: key(text, "URL Group."),
  endpointName: key(text, "Endpoint within the URL Group."),
  queueName: key(text, "Queue."),
  maxRetries: key(count, "Retries after the first attempt."),
  retryDelayExpression: key(text, "Expression for the time between retries."),
  notBefore: key(count, "Unix ms."),
  createdAt: key(count, "Unix ms."),
  callback: key(text, "Callback address."),
  callbackHeader: key(values, "Headers of the callback."),
  failureCallback: key(text, "Failure callback address."),
  failureCallbackHeader: key(values, "Headers of the failure callback."),
  scheduleId: key(text, "Schedule."),
  callerIp: key(text, "Address of the publisher."),
  callerIP: key(text, "The same as callerIp."),
  label: key(oneOrMany(text, "a label"), "Its label, or labels."),
  labels: key(oneOrMany(text, "a label"), "The same as label."),
  flowControlKey: key(text, "Flow control key."),
  rate: key(count, "Flow control: rate."),
  period: key(count, "Flow control: period in seconds."),
  parallelism: key(count, "Flow control: parallelism."),
  responseStatus: key(wholeNumber(0, 999), "Status of the last answer; 0 or left out: no HTTP answer."),
  responseHeader: key(values, "Headers of the last answer."),
  responseBody: key(body, "Body of the last answer; a mapping or list stands for its JSON."),
  responseBodyBase64: key(text, "Base64 of an answer's body that is not UTF-8."),
  messageId: key(text, "Id of the message."),
  dlqId: key(text, "Id of the dead letter, <ms>-<sequence>."),
  workflowRunId: key(text, "Run of a workflow."),
  age: key(duration, "Time since it entered the DLQ."),
  messageAge: key(duration, "Time since its root message was created."),
  attempt: key(wholeNumber(0, 1_000_000), "Redrives already made."),
  superseded: key(flag, "A newer letter of its schedule, or of the same value, waits."),
});

const item = section({
  destination: key(text, "Where it goes."),
  queue: key(text.nullable(), "Its queue; null: none."),
  headers: key(
    z.record(z.string().max(256), text.nullable(), "a mapping of header names to text or null"),
    "Headers of the item, by name without regard to case; null: not there.",
  ),
  body: key(jsonValue, "Its body; JSON is compared by value."),
});

const reasons = [...new Set([...republishReasons, ...dropReasons, ...holdReasons, ...parkReasons])];

const expected = section({
  then: oneOf(["republish", "drop", "hold", "park"]).meta({ description: "The decision." }),
  rule: key(name.nullable(), "The rule that decides; null or none: no rule matches."),
  reason: key(oneOf(reasons), "Why, from the closed set of reasons."),
  item: key(item, "The rebuilt item; what is left out is not compared."),
  losses: key(
    z.array(oneOf([...policyLosses, ...reportedLosses]), "a list of losses"),
    "What the rebuild cannot keep.",
  ),
});

export const ruleTest = section({
  name: line("what the test shows, in words"),
  given: given.meta({ description: "A record; what is left out has a plain value." }),
  expect: expected.meta({ description: "What becomes of it; what is left out is not compared." }),
}).transform(({ name, given, expect }): RuleTest => ({
  name,
  given: toGiven(given),
  expect: defined({
    ...expect,
    rule: expect.rule === noRule ? null : expect.rule,
    item: expect.item === undefined ? undefined : defined(expect.item),
  }),
}));

function toGiven(keys: z.output<typeof given>): RuleTest["given"] {
  const { age, messageAge, attempt, superseded, ...others } = keys;
  const { callerIp, callerIP, label, labels, body, responseBody, ...fields } = others;
  const all = [label, labels].flatMap((value) => value ?? []);
  const record = defined({
    ...fields,
    body: toBodyText(body),
    responseBody: toBodyText(responseBody),
    callerIP: callerIp ?? callerIP,
    labels: all.length === 0 ? undefined : all,
  });
  return defined({
    record,
    ageMs: age,
    messageAgeMs: messageAge,
    attempt,
    superseded,
  });
}

function toBodyText(value: JsonValue | undefined): string | undefined {
  return value === undefined || typeof value === "string" ? value : JSON.stringify(value);
}
