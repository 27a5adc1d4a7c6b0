import type { Leaf } from "./covers.ts";
import { describeNumbers } from "../patterns/describe-patterns.ts";
import type { NumberField, NumberPattern, TextField, TextPattern } from "../spec.ts";
import { withoutQuery } from "../without-query.ts";

/** A pattern that no record's field can ever match. */
export interface Impossible {
  /** The pattern, in words. */
  readonly said: string;
  readonly why: string;
  /** What would match. */
  readonly wanted: string;
}

/** The patterns of a test that the nature of its field rules out. What is not among them may match. */
export function impossibleOf(leaf: Leaf): readonly Impossible[] {
  switch (leaf.kind) {
    case "number":
      return leaf.oneOf.flatMap((pattern) => impossibleNumber(leaf.field, pattern) ?? []);
    case "text":
      return leaf.oneOf.flatMap((pattern) => impossibleText(leaf.field, pattern) ?? []);
    case "header":
    case "duration":
    case "address":
    case "value":
      return [];
  }
}

function impossibleNumber(field: NumberField, pattern: NumberPattern): Impossible | null {
  if (pattern.kind === "some") return null;
  if (pattern.kind === "none") return isAlwaysThere(field) ? alwaysThere(field) : null;
  const { least, most, why, wanted } = domainOf(field);
  if (pattern.from <= most && least <= pattern.to) return null;
  return { said: describeNumbers([pattern], String).replace(/^is /, ""), why, wanted };
}

/** Which values parseRecord lets through; of a status, which ones are (RFC 9110, 15). */
function domainOf(field: NumberField): {
  readonly least: number;
  readonly most: number;
  readonly why: string;
  readonly wanted: string;
} {
  const most = Number.POSITIVE_INFINITY;
  switch (field) {
    case "responseStatus":
      return {
        least: 100,
        most: 599,
        why: "an HTTP status is from 100 to 599",
        wanted: "a status such as 503, a class such as 5xx, or none where there was no HTTP answer",
      };
    case "rate":
    case "period":
    case "parallelism":
      return { least: 1, most, why: `${field} is 1 or more`, wanted: "1 or more, or none" };
    case "attempt":
    case "size":
    case "maxRetries":
    case "createdAt":
    case "notBefore":
      return { least: 0, most, why: `${field} is 0 or more`, wanted: "0 or more" };
  }
}

function isAlwaysThere(field: NumberField | TextField): boolean {
  const fields: readonly string[] = ["attempt", "size", "createdAt", "dlqId", "messageId", "url", "method"];
  return fields.includes(field);
}

function alwaysThere(field: string): Impossible {
  return { said: "none", why: `every record has ${field}`, wanted: `a value of ${field}` };
}

function impossibleText(field: TextField, pattern: TextPattern): Impossible | null {
  if (pattern.kind === "some" || pattern.kind === "regex") return null;
  if (pattern.kind === "none") return isAlwaysThere(field) ? alwaysThere(field) : null;
  const text = pattern.kind === "glob" ? pattern.pattern : pattern.value;
  const said = JSON.stringify(withoutQuery(text));
  if (field === "host" && /[\s/?#@\\]/.test(text)) {
    return {
      said,
      why: "a host has no scheme, path or space in it",
      wanted: "a host such as api.example.com; url asks for the whole address, path for the path",
    };
  }
  if (field !== "path") return null;
  if (/[?#]/.test(text)) {
    return {
      said,
      why: "a path ends before the query",
      wanted: "a path without ? and #; url asks for the whole address",
    };
  }
  // Of an address that messages can be sent to: http or https.
  return pattern.kind === "suffix" || text.startsWith("/") || text.startsWith("*")
    ? null
    : { said, why: "a path begins with /", wanted: "a path such as /orders, or a glob such as */orders" };
}
