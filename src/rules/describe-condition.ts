import { parsePointer } from "../message/json-pointer.ts";
import { isObject, type JsonValue } from "../message/json-value.ts";
import { momentText, toDocumentForm } from "./document-form.ts";
import { formatDuration } from "./format-duration.ts";
import { textFields, type Condition, type Leaf } from "./spec.ts";
import type { Subject } from "./subject.ts";

/** In the words of the document. Texts for header values and bodies become "[set]": they may be secrets. */
export function describeCondition(condition: Condition): string {
  if (condition.kind === "any") return "any";
  if (condition.kind === "not") return `not (${describeCondition(condition.of)})`;
  if (condition.kind !== "all" && condition.kind !== "some") return describeTest(condition);
  const parts = condition.of.map(describeCondition).join("; ");
  return condition.kind === "all" ? `all (${parts})` : `any of (${parts})`;
}

/** `responseStatus is 503`, `host is one of "a", prefix "b"`. */
function describeTest(test: Leaf): string {
  const { keys, oneOf } = toDocumentForm(test, "masked");
  const [field, name] = keys;
  const inside = name === undefined ? "" : ` ${test.kind === "value" ? JSON.stringify(name) : name}`;
  const words = oneOf.map((written) => toWords(written, test.kind === "text"));
  return `${field}${inside} is ${words.length === 1 ? "" : "one of "}${words.join(", ")}`;
}

function toWords(written: unknown, isText: boolean): string {
  const [[form, value] = []] = isObject(written) ? Object.entries(written) : [];
  if (form === "exists") return "there";
  if (form === "equals") return JSON.stringify(value);
  if (form !== undefined) return `${form} ${toWords(value, isText)}`;
  return isText && written !== "none" && written !== "[set]" ? JSON.stringify(written) : String(written);
}

/**
 * The record's value for a test. Bodies, header values, URLs and paths can contain secrets, so only their
 * presence is shown. A value inside a body is shown by its type.
 */
export function describeActual(condition: Leaf, subject: Subject): string {
  switch (condition.kind) {
    case "text":
      return describeFound(subject.texts(condition.field), textFields[condition.field] !== "name");
    case "header":
      return describeFound(subject.header(condition.of, condition.name.toLowerCase()), true);
    case "number": {
      const value = subject.number(condition.field);
      if (value === undefined) return "none";
      const isMoment = condition.field === "createdAt" || condition.field === "notBefore";
      return isMoment ? momentText(value) : String(value);
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
  }
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
