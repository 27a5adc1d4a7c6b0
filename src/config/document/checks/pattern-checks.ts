import { writeNumber } from "../../../job/rules/patterns/write-number-patterns.ts";
import { maskQuery } from "../../../job/rules/show-field-test.ts";
import { durationText } from "../../../job/rules/durations.ts";
import type {
  Leaf,
  NumberField,
  NumberPattern,
  TextField,
  TextPattern,
} from "../../../job/rules/rule-spec.ts";
import { hasPlaceholder, parseHost, slipInHost } from "../../../job/message/host-and-path.ts";
import { nearestName } from "../../nearest-name.ts";
import { quoted } from "../../problem.ts";
import { doubtOfPointer } from "../schema/propose-pointer.ts";

interface Impossible extends Misfit {
  readonly pattern: string;
}

interface Misfit {
  readonly why: string;
  readonly expected: string;
  /** It is probable only: a method or an address of one's own, a record that outlives its retention. */
  readonly isLikely?: true;
}

export interface PatternFinding {
  readonly kind: "problem" | "warning";
  readonly message: string;
}

/** Patterns that their field can never match, each judged by itself. `retentionMs`: null if it is not known. */
export function judgePatterns(leaf: Leaf, retentionMs: number | null): PatternFinding | null {
  const doubt = leaf.kind === "value" ? doubtOfPointer(leaf.pointer) : null;
  if (leaf.kind === "value" && doubt !== null) {
    const { why, expected } = doubt;
    return { kind: "warning", message: `${why}; expected ${expected}, got ${quoted(leaf.pointer)}` };
  }
  if (leaf.kind === "header" && leaf.name.includes("*")) {
    const expected = "the whole name of a header";
    const message = `a name of a header is no glob; expected ${expected}, got ${quoted(leaf.name)}`;
    return { kind: "warning", message };
  }
  const impossible = impossibleOf(leaf, retentionMs);
  if (impossible.length === 0) return null;
  const found = impossible.map(({ pattern }) => pattern).join(", ");
  const why = [...new Set(impossible.map((one) => one.why))].join("; ");
  const expected = [...new Set(impossible.map((one) => one.expected))].join("; ");
  const isWhole = impossible.length === leaf.oneOf.length;
  const head = isWhole ? "can never match" : "matches less than it says";
  const message = `${head}: got ${found}, but ${why}; expected ${expected}`;
  const isSure = isWhole && impossible.every(({ isLikely }) => isLikely !== true);
  return { kind: isSure ? "problem" : "warning", message };
}

function impossibleOf(leaf: Leaf, retentionMs: number | null): readonly Impossible[] {
  if (leaf.kind === "number") {
    return leaf.oneOf.flatMap((pattern) => impossibleNumber(leaf.field, pattern) ?? []);
  }
  if (leaf.kind === "text") return leaf.oneOf.flatMap((pattern) => impossibleText(leaf.field, pattern) ?? []);
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
  if (pattern.kind === "some") return null;
  if (pattern.kind === "none") return alwaysThere(field);
  if (pattern.kind === "regex") {
    const misfit = misfitOfRegex(field, pattern.source);
    return misfit === null ? null : { pattern: JSON.stringify(pattern.source), ...misfit };
  }
  const text = pattern.kind === "glob" ? pattern.pattern : pattern.value;
  const misfit = misfitOf(field, text, pattern.kind);
  return misfit === null
    ? null
    : { pattern: JSON.stringify(text.startsWith("?") ? text : maskQuery(text)), ...misfit };
}

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

function misfitOf(field: TextField, text: string, kind: Kind): Misfit | null {
  if (field === "method") return kind === "exact" ? misspeltMethod(text.toUpperCase()) : null;
  if (field === "host") return impossibleHost(text, kind);
  if (field === "dlqId") return impossibleId(text, kind);
  if (field === "path" && /[?#]/.test(text)) {
    return {
      why: "a path ends before the query",
      expected: "a path without ? and #; url asks for the whole address",
    };
  }
  if (field === "path" && kind !== "exact" && /\/(?:\.|%2e){1,2}\//i.test(text)) {
    return {
      why: "an address is listed without . and .. in its path",
      expected: "the path that they lead to",
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
  return meant === undefined
    ? null
    : { why: "no usual HTTP method has this name", expected: meant, isLikely: true };
}

function impossibleHost(text: string, kind: Kind): Misfit | null {
  if (kind === "glob" && /[^*:]:\*$/.test(text)) {
    const why = "a host has no port that is usual for its scheme";
    return { why, expected: JSON.stringify(text.slice(0, -2)), isLikely: true };
  }
  const fits = kind === "exact" ? parseHost(text) !== null : !/[\s/?#@\\]/.test(text);
  return fits ? null : { why: whyNoHost(text), expected: proposeHost(text) };
}

function whyNoHost(text: string): string {
  if (hasPlaceholder(text)) return "nothing fills in a placeholder";
  if (text.includes("://")) return "a host has no scheme, path, space or | in it";
  if (/^[^/]*@/.test(text)) return "a host has no user in it";
  if (/^[^/?]*\?[^/]/.test(text)) return "a host has no ? in it: * is any run of characters";
  return /:\d+$/.test(text) && Number(/\d+$/.exec(text)?.[0]) > 65_535
    ? "a port is at most 65535"
    : "a host has no scheme, path, space or | in it";
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
  const behind = "; url asks for the whole address, path for the path";
  return `${isHost ? JSON.stringify(bare) : "a host such as api.example.com"}${behind}`;
}

function impossibleId(text: string, kind: Kind): Misfit | null {
  const form = kind === "exact" ? /^\d+-\d+$/ : kind === "glob" ? /^[\d*-]+$/ : /^[\d-]+$/;
  const expected = "an id such as 1725323658779-0; messageId asks for the message's";
  return form.test(text) ? null : { why: "a dlqId is <milliseconds>-<sequence>", expected };
}

/** Each record's url begins with its scheme. `start`: what each matching text begins with. */
function withoutScheme(start: string, kind: "exact" | "glob" | "prefix"): Misfit | null {
  const lower = start.toLowerCase();
  const fits = ["http://", "https://"].some(
    (scheme) => lower.startsWith(scheme) || (kind !== "exact" && scheme.startsWith(lower)),
  );
  if (fits) return null;
  return {
    why: "a url begins with http:// or https://",
    isLikely: true,
    expected: "a whole address, or a glob such as https://api.example.com/*; host and path ask for its parts",
  };
}

function beyondRetention(pattern: NumberPattern, retentionMs: number): Impossible | null {
  if (pattern.kind !== "range" || pattern.from <= retentionMs) return null;
  const retention = durationText(retentionMs);
  return {
    pattern: String(writeNumber(pattern, "duration")),
    why: `a record stays ${retention} in the queue, the source's retention`,
    isLikely: true,
    expected: `at most ${retention}, or the retention of your plan at the source`,
  };
}
