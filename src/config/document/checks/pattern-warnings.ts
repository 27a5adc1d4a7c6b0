import { writeNumber } from "../../../rules/patterns/write-number-patterns.ts";
import { maskQuery } from "../../../rules/show-field-test.ts";
import { durationText } from "../../../rules/durations.ts";
import type { Leaf, NumberField, NumberPattern, TextField, TextPattern } from "../../../rules/rule-spec.ts";
import { nearestName } from "../../nearest-name.ts";
import { quoted } from "../../problem.ts";
import { proposePointer } from "../schema/propose-pointer.ts";

/** A pattern that the field of no record can ever match. */
interface Impossible {
  readonly pattern: string;
  readonly why: string;
  readonly expected: string;
}

/**
 * The warning about patterns of a test that its field can never match, each judged by itself; null if there
 * are none. `retentionMs` is the source's; null if it is not known.
 */
export function toPatternWarning(
  leaf: Leaf,
  retentionMs: number | null,
): { readonly found: string; readonly expected: string; readonly message: string } | null {
  if (leaf.kind === "value" && /\[\d+\]/.test(leaf.pointer)) {
    const [found, expected] = [quoted(leaf.pointer), JSON.stringify(proposePointer(leaf.pointer))];
    return { found, expected, message: `asks for a name with brackets; expected ${expected}, got ${found}` };
  }
  const impossible = impossibleOf(leaf, retentionMs);
  if (impossible.length === 0) return null;
  const found = impossible.map(({ pattern }) => pattern).join(", ");
  const why = [...new Set(impossible.map((one) => one.why))].join("; ");
  const expected = [...new Set(impossible.map((one) => one.expected))].join("; ");
  const head = impossible.length === leaf.oneOf.length ? "can never match" : "matches less than it says";
  return { found, expected, message: `${head}: got ${found}, but ${why}; expected ${expected}` };
}

function impossibleOf(leaf: Leaf, retentionMs: number | null): readonly Impossible[] {
  if (leaf.kind === "number") {
    return leaf.oneOf.flatMap((pattern) => impossibleNumber(leaf.field, pattern) ?? []);
  }
  if (leaf.kind === "text") {
    return leaf.oneOf.flatMap((pattern) => impossibleText(leaf.field, pattern) ?? []);
  }
  if (leaf.kind !== "duration" || leaf.field === "messageAge" || retentionMs === null) return [];
  return leaf.oneOf.flatMap((pattern) => beyondRetention(pattern, retentionMs) ?? []);
}

function impossibleNumber(field: NumberField, pattern: NumberPattern): Impossible | null {
  if (pattern.kind === "some") return null;
  if (pattern.kind === "none") return alwaysThere(field);
  const { min, max, why, expected } = domainOf(field);
  if (pattern.from <= max && min <= pattern.to) return null;
  return { pattern: String(writeNumber(pattern, "count")), why, expected };
}

/** The values that parseRecord lets through, from `min`; of a status, those that are one (RFC 9110, 15). */
function domainOf(field: NumberField): Omit<Impossible, "pattern"> & { min: number; max: number } {
  if (field === "responseStatus") {
    const why = "an HTTP status is from 100 to 599";
    const expected = "a status such as 503, a class such as 5xx, or none where there was no HTTP answer";
    return { min: 100, max: 599, why, expected };
  }
  const isFlow = field === "rate" || field === "period" || field === "parallelism";
  const bound = isFlow ? "1 or more" : "0 or more";
  const expected = isFlow ? `${bound}, or none` : bound;
  return { min: isFlow ? 1 : 0, max: Number.POSITIVE_INFINITY, why: `${field} is ${bound}`, expected };
}

const fieldsOfEveryRecord = /^(attempt|size|createdAt|dlqId|messageId|url|method)$/;

function alwaysThere(field: string): Impossible | null {
  if (!fieldsOfEveryRecord.test(field)) return null;
  return { pattern: "none", why: `every record has ${field}`, expected: `a value of ${field}` };
}

function impossibleText(field: TextField, pattern: TextPattern): Impossible | null {
  if (pattern.kind === "some" || pattern.kind === "regex") return null;
  if (pattern.kind === "none") return alwaysThere(field);
  const text = pattern.kind === "glob" ? pattern.pattern : pattern.value;
  const misfit = misfitOf(field, text, pattern.kind);
  return misfit === null ? null : { pattern: JSON.stringify(maskQuery(text)), ...misfit };
}

type Misfit = Pick<Impossible, "why" | "expected">;

function misfitOf(
  field: TextField,
  text: string,
  kind: "exact" | "glob" | "prefix" | "suffix",
): Misfit | null {
  if (field === "method") return kind === "exact" ? misspeltMethod(text.toUpperCase()) : null;
  if (field === "host") return hostWithMore(text);
  if (field === "path" && /[?#]/.test(text)) {
    return {
      why: "a path ends before the query",
      expected: "a path without ? and #; url asks for the whole address",
    };
  }
  if (kind === "suffix") return null;
  if (field === "url") return withoutScheme(kind === "glob" ? text.slice(0, text.indexOf("*")) : text, kind);
  // Of an address that messages can be sent to: http or https.
  if (field !== "path" || text.startsWith("/") || (kind === "glob" && text.startsWith("*"))) return null;
  return { why: "a path begins with /", expected: "a path such as /orders, or a glob such as */orders" };
}

/** RFC 9110, 9.3, and PATCH of RFC 5789. */
const methods = ["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"];

/** A method of one's own is as good as any. Only one that nearly is a known one is taken for a slip. */
function misspeltMethod(method: string): Misfit | null {
  const meant = methods.includes(method) ? undefined : nearestName(method, methods);
  return meant === undefined ? null : { why: "no usual HTTP method has this name", expected: meant };
}

function hostWithMore(text: string): Misfit | null {
  if (!/[\s/?#@\\]/.test(text)) return null;
  return {
    why: "a host has no scheme, path or space in it",
    expected: "a host such as api.example.com; url asks for the whole address, path for the path",
  };
}

/**
 * `url` is the whole address, and every record's begins with its scheme. `start`: what each matching text
 * begins with.
 */
function withoutScheme(start: string, kind: "exact" | "glob" | "prefix"): Misfit | null {
  const lower = start.toLowerCase();
  const fits = ["http://", "https://"].some(
    (scheme) => lower.startsWith(scheme) || (kind !== "exact" && scheme.startsWith(lower)),
  );
  if (fits) return null;
  return {
    why: "a url begins with http:// or https://",
    expected: "a whole address, or a glob such as https://api.example.com/*; host and path ask for its parts",
  };
}

function beyondRetention(pattern: NumberPattern, retentionMs: number): Impossible | null {
  if (pattern.kind !== "range" || pattern.from <= retentionMs) return null;
  const retention = durationText(retentionMs);
  return {
    pattern: String(writeNumber(pattern, "duration")),
    why: `a record stays ${retention} in the queue, the source's retention`,
    expected: `at most ${retention}, or the retention of your plan at the source`,
  };
}
