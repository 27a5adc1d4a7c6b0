import type { DeadLetter, HeaderValues, RawRecord } from "./dead-letter.ts";
import { isDestination } from "./destination-url.ts";
import { valuesOf } from "./headers.ts";
import type { ParkReason } from "./park-reasons.ts";

/** The service lists this in place of redacted text (remote-contract.md, trap 5). */
const placeholder = /REDACTED:[0-9a-f]{64}/i;
const placeholderLength = 73;

/**
 * Why a record cannot be published again unchanged; null if no reason is known. Of several reasons, the one
 * that explains the others comes first: a redacted body also has another length. `destination`: where it is
 * to go, null if that is no address.
 */
export function checkFidelity(
  letter: DeadLetter,
  raw: RawRecord,
  destination: string | null = isDestination(letter.url) ? letter.url : null,
): ParkReason | null {
  if (letter.workflowRunId !== undefined) return "workflow";
  // Half of a surrogate pair has no UTF-8 form: a publish would replace it.
  if (letter.brokenText !== undefined) return letter.brokenText;
  if (letter.bodyBase64 !== "") return "binary-body";
  if (isRedacted(letter, raw)) return "redacted";
  if (destination === null) return "bad-destination";
  if (hasSeveralCookies(letter.header)) return "unjoinable-header";
  if (bodyLengthDiffers(letter)) return "body-length-differs";
  return null;
}

/** Fields that describe the failed response; they are not published again. */
const responseFields: ReadonlySet<string> = new Set(["responseHeader", "responseBody", "responseBodyBase64"]);

/** The record as listed is searched too, so that a placeholder in a field unknown today also counts. */
function isRedacted(letter: DeadLetter, raw: RawRecord): boolean {
  return hasPlaceholder(raw) || hasPlaceholder(letter as unknown as RawRecord, raw);
}

/** `searched`: values that are the very same there were searched before. */
function hasPlaceholder(record: RawRecord, searched: RawRecord = {}): boolean {
  for (const name in record) {
    const value = record[name];
    if (typeof value === "string" ? value.length < placeholderLength : typeof value !== "object") continue;
    if (value === searched[name] || responseFields.has(name)) continue;
    if (holdsPlaceholder(value, 0)) return true;
  }
  return false;
}

/** Searches a string, an array of strings, and an object of either. */
function holdsPlaceholder(value: unknown, depth: number): boolean {
  if (typeof value === "string") return value.length >= placeholderLength && placeholder.test(value);
  if (typeof value !== "object" || value === null || depth === 2) return false;
  if (Array.isArray(value)) {
    for (const one of value as readonly unknown[]) if (holdsPlaceholder(one, depth + 1)) return true;
    return false;
  }
  const fields = value as Readonly<Record<string, unknown>>;
  for (const name in fields) if (holdsPlaceholder(fields[name], depth + 1)) return true;
  return false;
}

function hasSeveralCookies(header: HeaderValues): boolean {
  return valuesOf(header, "set-cookie").length > 1 || valuesOf(header, "cookie").length > 1;
}

/** The service may cut stored request bodies, without documentation. The length that was sent shows it. */
function bodyLengthDiffers(letter: DeadLetter): boolean {
  const lengths = valuesOf(letter.header, "content-length");
  if (lengths.length === 0) return false;
  const bytes = Buffer.byteLength(letter.body);
  return lengths.some((length) => !/^\s*\d+\s*$/.test(length) || Number(length) !== bytes);
}
