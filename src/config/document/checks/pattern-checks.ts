import { hasPlaceholder, parseHost, slipInHost } from "../../../job/message/host-and-path.ts";
import { durationText } from "../../../job/rules/durations.ts";
import { textOf } from "../../../job/rules/patterns/compile-text.ts";
import { writeNumber } from "../../../job/rules/patterns/write-number-patterns.ts";
import type { Leaf, NumberField, TextField } from "../../../job/rules/rule-spec.ts";
import { maskQuery } from "../../../job/rules/show-field-test.ts";
import { nearestName } from "../../nearest-name.ts";
import { quoted } from "../../problem.ts";
import { doubtOfPointer } from "../schema/propose-pointer.ts";

interface Misfit {
  readonly why: string;
  readonly expected: string;
  /** It is probable only: a method or an address of one's own, a record that outlives its retention. */
  readonly isLikely?: true;
}

interface Finding {
  readonly kind: "problem" | "warning";
  readonly message: string;
}

/** Patterns that their field can never match, each judged by itself. `retentionMs`: null if it is not known. */
export function judgePatterns(leaf: Leaf, retentionMs: number | null): Finding | null {
  const doubt = leaf.kind === "value" ? doubtOfPointer(leaf.pointer) : null;
  if (leaf.kind === "value" && doubt !== null) {
    const { why, expected } = doubt;
    return { kind: "warning", message: `${why}; expected ${expected}, got ${quoted(leaf.pointer)}` };
  }
  if (leaf.kind === "header" && leaf.name.includes("*")) {
    const message = "a name of a header is no glob; expected the whole name of a header";
    return { kind: "warning", message: `${message}, got ${quoted(leaf.name)}` };
  }
  const misfits = leaf.oneOf.flatMap((pattern) => {
    const misfit = misfitOf(leaf, pattern, retentionMs);
    return misfit === null ? [] : [{ ...misfit, got: shownPattern(pattern, leaf.kind) }];
  });
  if (misfits.length === 0) return null;
  const found = misfits.map(({ got }) => got).join(", ");
  const why = [...new Set(misfits.map((one) => one.why))].join("; ");
  const expected = [...new Set(misfits.map((one) => one.expected))].join("; ");
  const isWhole = misfits.length === leaf.oneOf.length;
  const head = isWhole ? "can never match" : "matches less than it says";
  const isSure = isWhole && misfits.every(({ isLikely }) => isLikely !== true);
  const message = `${head}: got ${found}, but ${why}; expected ${expected}`;
  return { kind: isSure ? "problem" : "warning", message };
}

type Pattern = Leaf["oneOf"][number];

function shownPattern(pattern: Pattern, kind: Leaf["kind"]): string {
  if (pattern.kind === "range")
    return String(writeNumber(pattern, kind === "duration" ? "duration" : "count"));
  if (pattern.kind === "regex") return JSON.stringify(pattern.source);
  if (!isText(pattern)) return "none";
  const text = textOf(pattern);
  return JSON.stringify(text.startsWith("?") ? text : maskQuery(text));
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

function misfitOf(leaf: Leaf, pattern: Pattern, retentionMs: number | null): Misfit | null {
  if (pattern.kind === "none" && (leaf.kind === "number" || leaf.kind === "text")) {
    const { field } = leaf;
    if (!fieldsOfEveryRecord.test(field)) return null;
    return { why: `every record has ${field}`, expected: `a value of ${field}` };
  }
  if (leaf.kind === "number" && pattern.kind === "range") {
    const { min, max, ...misfit } = domainOf(leaf.field);
    return pattern.from <= max && min <= pattern.to ? null : misfit;
  }
  if (leaf.kind === "text" && pattern.kind === "regex") return misfitOfRegex(leaf.field, pattern.source);
  if (leaf.kind === "text" && isText(pattern)) return misfitOfText(leaf.field, textOf(pattern), pattern.kind);
  if (leaf.kind !== "duration" || leaf.field === "messageAge" || pattern.kind !== "range") return null;
  if (retentionMs === null || pattern.from <= retentionMs) return null;
  const retention = durationText(retentionMs);
  const why = `a record stays ${retention} in the queue, the source's retention`;
  const expected = `at most ${retention}, or the retention of your plan at the source`;
  return { why, isLikely: true, expected };
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

/** Only without alternatives: their beginning or letters may be those of another one. */
function misfitOfRegex(field: TextField, source: string): Misfit | null {
  const letters = source.replaceAll(/\\(?:[pP]\{[^}]*\}|.)|\[[^\]]*\]|\(\?[^:)]*[:)]/g, "");
  if (field === "path" && /^\^[\w-](?![?*{])/.test(source) && !source.includes("|"))
    return { why: "a path begins with /", expected: JSON.stringify(`^/${source.slice(1)}`) };
  if (/\(\?[a-zA-Z]*i/.test(source)) return null;
  if (field === "host" && /[A-Z]/.test(letters)) {
    const expected = JSON.stringify(`(?i)${source}`);
    return { why: "a host is compared in lower case", expected, isLikely: true };
  }
  const upper = source.replaceAll(/%[\da-f]{2}/gi, (hex) => hex.toUpperCase());
  if (field !== "path" || upper === source) return null;
  return { why: "a path is compared with %C3, not %c3", expected: JSON.stringify(upper), isLikely: true };
}

type Kind = "exact" | "glob" | "prefix" | "suffix";

function misfitOfText(field: TextField, text: string, kind: Kind): Misfit | null {
  if (field === "method") return kind === "exact" ? misspeltMethod(text.toUpperCase()) : null;
  if (field === "host") return misfitOfHost(text, kind);
  if (field === "path") return misfitOfPath(text, kind);
  if (field === "url") return kind === "suffix" ? null : withoutScheme(text, kind);
  if (field !== "dlqId") return null;
  const form = kind === "exact" ? /^\d+-\d+$/ : kind === "glob" ? /^[\d*-]+$/ : /^[\d-]+$/;
  const expected = "an id such as 1725323658779-0; messageId asks for the message's";
  return form.test(text) ? null : { why: "a dlqId is <milliseconds>-<sequence>", expected };
}

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
  return { why: "a path begins with /", expected: "a path such as /orders, or a glob such as */orders" };
}

/** RFC 9110, 9.3, and PATCH of RFC 5789. */
const methods = ["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"];

/** A method of one's own is as good as any. Only one that nearly is a known one is taken for a slip. */
function misspeltMethod(method: string): Misfit | null {
  const meant = methods.includes(method) ? undefined : nearestName(method, methods);
  if (meant === undefined) return null;
  return { why: "no usual HTTP method has this name", expected: meant, isLikely: true };
}

function misfitOfHost(text: string, kind: Kind): Misfit | null {
  if (kind === "glob" && /[^*:]:\*$/.test(text)) {
    const why = "a host has no port that is usual for its scheme";
    return { why, expected: JSON.stringify(text.slice(0, -2)), isLikely: true };
  }
  const fits = kind === "exact" ? parseHost(text) !== null : !/[\s/?#@\\]/.test(text);
  return fits ? null : { why: whyNoHost(text), expected: proposeHost(text) };
}

function whyNoHost(text: string): string {
  const otherwise = "a host has no scheme, path, space or | in it";
  if (hasPlaceholder(text)) return "nothing fills in a placeholder";
  if (text.includes("://")) return otherwise;
  if (/^[^/]*@/.test(text)) return "a host has no user in it";
  if (/^[^/?]*\?[^/]/.test(text)) return "a host has no ? in it: * is any run of characters";
  return Number(/:(\d+)$/.exec(text)?.[1]) > 65_535 ? "a port is at most 65535" : otherwise;
}

function proposeHost(text: string): string {
  const bare = text
    .replace(/^[a-z][a-z\d+.-]*:\/\//i, "")
    .replace(/[/#\\].*$/su, "")
    .replace(/^.*@/su, "")
    .replace(/^\?/, "*")
    .replace(/\?.*$/su, "")
    .replace(/:(\d+)$/, (port, digits: string) => (Number(digits) > 65_535 ? "" : port));
  const named = bare.replaceAll("*", "a");
  const isHost = parseHost(named) !== null && slipInHost(bare) === null && !/^[*.]*$/.test(bare);
  const host = isHost ? JSON.stringify(bare) : "a host such as api.example.com";
  return `${host}; url asks for the whole address, path for the path`;
}

function withoutScheme(text: string, kind: Exclude<Kind, "suffix">): Misfit | null {
  const start = (kind === "glob" ? text.slice(0, text.indexOf("*")) : text).toLowerCase();
  const fits = ["http://", "https://"].some(
    (scheme) => start.startsWith(scheme) || (kind !== "exact" && scheme.startsWith(start)),
  );
  if (fits) return null;
  const example = "a glob such as https://api.example.com/*; host and path ask for its parts";
  const why = "a url begins with http:// or https://";
  return { why, isLikely: true, expected: `a whole address, or ${example}` };
}
