import type { JsonValue } from "../message/json-value.ts";
import {
  describeAddresses,
  describeNumbers,
  describeTexts,
  describeValues,
} from "./patterns/describe-patterns.ts";
import { formatDuration } from "./format-duration.ts";
import { parsePointer } from "../message/json-pointer.ts";
import type { Condition, NumberField, TextField } from "./spec.ts";
import type { Subject } from "./subject.ts";

/** A condition in the words of the document. Texts that header values and bodies must have are told as "[set]": they may be secrets. */
export function describeCondition(condition: Condition): string {
  switch (condition.kind) {
    case "any":
      return "any";
    case "all":
      return `all (${condition.of.map(describeCondition).join("; ")})`;
    case "some":
      return `any of (${condition.of.map(describeCondition).join("; ")})`;
    case "not":
      return `not (${describeCondition(condition.of)})`;
    case "text":
      return `${condition.field} ${describeTexts(condition.oneOf, contentOf(condition.field))}`;
    case "header":
      return `${headerWord(condition.of)} ${condition.name} ${describeTexts(condition.oneOf, "secret")}`;
    case "number":
      return `${condition.field} ${describeNumbers(condition.oneOf, formatOf(condition.field))}`;
    case "duration":
      return `${condition.field} ${describeNumbers(condition.oneOf, formatDuration)}`;
    case "address":
      return `${condition.field} ${describeAddresses(condition.oneOf)}`;
    case "value":
      return `${condition.field} ${JSON.stringify(condition.pointer)} ${describeValues(condition.oneOf)}`;
  }
}

/**
 * What the record has where a leaf condition looks. Bodies, header values, URLs and paths can hold secrets, so of these only
 * the presence is told, and of a value inside a body its type.
 */
export function describeActual(condition: Condition, subject: Subject): string {
  switch (condition.kind) {
    case "text":
      return describeFound(subject.texts(condition.field), isSecretive(condition.field));
    case "header":
      return describeFound(subject.header(condition.of, condition.name.toLowerCase()), true);
    case "number": {
      const value = subject.number(condition.field);
      return value === undefined ? "none" : formatOf(condition.field)(value);
    }
    case "duration":
      return formatDuration(subject.durationMs(condition.field));
    case "address": {
      const address = subject.callerIp();
      return address === undefined ? "none" : address === null ? "no IP address" : "another";
    }
    case "value": {
      const names = parsePointer(condition.pointer);
      return describeType(names === null ? undefined : subject.value(condition.field, names));
    }
    case "any":
    case "all":
    case "some":
    case "not":
      return "";
  }
}

function headerWord(of: "request" | "response"): string {
  return of === "request" ? "header" : "responseHeader";
}

function formatOf(field: NumberField): (value: number) => string {
  return field === "createdAt" || field === "notBefore" ? formatMoment : String;
}

function formatMoment(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? String(at) : date.toISOString();
}

function isSecretive(field: TextField): boolean {
  switch (field) {
    case "url":
    case "path":
    case "callback":
    case "failureCallback":
    case "body":
    case "bodyBase64":
    case "responseBody":
    case "responseBodyBase64":
      return true;
    case "dlqId":
    case "messageId":
    case "host":
    case "topicName":
    case "endpointName":
    case "queueName":
    case "label":
    case "method":
    case "scheduleId":
    case "flowControlKey":
    case "retryDelayExpression":
      return false;
  }
}

function contentOf(field: TextField): "plain" | "address" | "secret" {
  if (field === "url" || field === "callback" || field === "failureCallback") return "address";
  return isSecretive(field) && field !== "path" ? "secret" : "plain";
}

function describeFound(values: readonly string[], secretive: boolean): string {
  if (values.length === 0) return "none";
  return secretive ? "another" : values.map((value) => JSON.stringify(value)).join(", ");
}

function describeType(value: JsonValue | undefined): string {
  if (value === undefined) return "none";
  if (value === null) return "null";
  if (typeof value !== "object") return `another ${typeof value === "string" ? "text" : typeof value}`;
  return Array.isArray(value) ? "a list" : "a mapping";
}
