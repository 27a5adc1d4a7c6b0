import { parseHost } from "../../../job/message/host-and-path.ts";
import { textOf } from "../../../job/rules/patterns/compile-text.ts";
import { writeNumber } from "../../../job/rules/patterns/write-number-patterns.ts";
import type { Leaf, NumberField, TextField } from "../../../job/rules/rule-spec.ts";
import { maskQuery } from "../../../job/rules/show-field-test.ts";
import { quoted } from "../../problem.ts";

interface Misfit {
  readonly why: string;
  readonly expected: string;
}

/** Patterns that their field can never match, each judged by itself. `isWhole`: nothing of the test can. */
export function judgePatterns(leaf: Leaf): { readonly isWhole: boolean; readonly message: string } | null {
  const misfits = leaf.oneOf.flatMap((pattern) => {
    const misfit = misfitOf(leaf, pattern);
    return misfit === null ? [] : [{ ...misfit, got: shownPattern(pattern, leaf.kind) }];
  });
  if (misfits.length === 0) return null;
  const found = misfits.map(({ got }) => got).join(", ");
  const why = [...new Set(misfits.map((one) => one.why))].join("; ");
  const expected = [...new Set(misfits.map((one) => one.expected))].join("; ");
  const isWhole = misfits.length === leaf.oneOf.length;
  const head = isWhole ? "can never match" : "matches less than it says";
  return { isWhole, message: `${head}: got ${found}, but ${why}; expected ${expected}` };
}

type Pattern = Leaf["oneOf"][number];

function shownPattern(pattern: Pattern, kind: Leaf["kind"]): string {
  if (pattern.kind === "range")
    return String(writeNumber(pattern, kind === "duration" ? "duration" : "count"));
  if (pattern.kind === "regex") return quoted(pattern.source);
  if (!isText(pattern)) return "none";
  const text = textOf(pattern);
  return quoted(text.startsWith("?") ? text : maskQuery(text));
}

function isText(pattern: Pattern) {
  return (
    pattern.kind === "exact" ||
    pattern.kind === "glob" ||
    pattern.kind === "prefix" ||
    pattern.kind === "suffix"
  );
}

const fieldsOfEveryRecord = /^(attempt|size|createdAt|dlqId|messageId|url|method)$/;

function misfitOf(leaf: Leaf, pattern: Pattern): Misfit | null {
  if (pattern.kind === "none" && (leaf.kind === "number" || leaf.kind === "text")) {
    const { field } = leaf;
    if (!fieldsOfEveryRecord.test(field)) return null;
    return { why: `every record has ${field}`, expected: `a value of ${field}` };
  }
  if (leaf.kind === "number" && pattern.kind === "range") {
    const { min, max, ...misfit } = domainOf(leaf.field);
    return pattern.from <= max && min <= pattern.to ? null : misfit;
  }
  if (leaf.kind !== "text") return null;
  if (isText(pattern)) return misfitOfText(leaf.field, textOf(pattern), pattern.kind);
  // Only without alternatives: their beginning may be that of another one.
  const isNoPath =
    leaf.field === "path" && pattern.kind === "regex" && /^\^[\w-](?![?*{])[^|]*$/.test(pattern.source);
  return isNoPath ? noPath : null;
}

/** The values that parseRecord lets through, from `min`; of a status, those that are one (RFC 9110, 15). */
function domainOf(field: NumberField): Misfit & { min: number; max: number } {
  if (field === "responseStatus") {
    const why = "an HTTP status is from 100 to 599";
    const expected = "a status such as 503, a class such as 5xx, or none where there was no HTTP answer";
    return { min: 100, max: 599, why, expected };
  }
  const isFlow = field === "rate" || field === "period" || field === "parallelism";
  const bound = isFlow ? "1 or more" : "0 or more";
  const expected = isFlow ? `${bound}, or none` : bound;
  return { min: isFlow ? 1 : 0, max: Infinity, why: `${field} is ${bound}`, expected };
}

type Kind = "exact" | "glob" | "prefix" | "suffix";

function misfitOfText(field: TextField, text: string, kind: Kind): Misfit | null {
  if (field === "host") return misfitOfHost(text, kind);
  if (field === "path") return misfitOfPath(text, kind);
  if (field !== "dlqId") return null;
  const form = kind === "exact" ? /^\d+-\d+$/ : kind === "glob" ? /^[\d*-]+$/ : /^[\d-]+$/;
  const expected = "an id such as 1725323658779-0; messageId asks for the message's";
  return form.test(text) ? null : { why: "a dlqId is <milliseconds>-<sequence>", expected };
}

const noPath: Misfit = {
  why: "a path begins with /",
  expected: "a path such as /orders, or a glob such as */orders",
};

/** Of an address that messages can be sent to: http or https. */
function misfitOfPath(text: string, kind: Kind): Misfit | null {
  if (/[?#]/.test(text)) {
    const expected = "a path without ? and #; url asks for the whole address";
    return { why: "a path ends before the query", expected };
  }
  if (kind !== "exact" && /\/(?:\.|%2e){1,2}\//i.test(text)) {
    const why = "an address is listed without . and .. in its path";
    return { why, expected: "the path that they lead to" };
  }
  if (kind === "suffix" || text.startsWith("/") || (kind === "glob" && text.startsWith("*"))) return null;
  return noPath;
}

function misfitOfHost(text: string, kind: Kind): Misfit | null {
  const fits = kind === "exact" ? parseHost(text) !== null : !/[\s/?#@\\]/.test(text);
  if (fits) return null;
  const why = "a host has no scheme, user, path, space or ? in it, and a port of at most 65535";
  const expected = "a host such as api.example.com; url asks for the whole address, path for the path";
  return { why, expected };
}
