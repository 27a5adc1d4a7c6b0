import type { DeadLetter, RawRecord } from "./dead-letter.ts";
import { isDestination } from "./destination-url.ts";
import type { ParkReason } from "./park-reasons.ts";

/** The service lists this in place of redacted text (remote-contract.md, trap 5). */
const placeholder = /REDACTED:[0-9a-f]{64}/i;
const placeholderLength = 73;

/** The reason that explains the others comes first: a redacted body also has another length. */
export function checkFidelity(
  letter: DeadLetter,
  raw: RawRecord,
  destination: string | null = isDestination(letter.url) ? letter.url : null,
): ParkReason | null {
  if (letter.workflowRunId !== undefined) return "workflow";
  // Half of a surrogate pair has no UTF-8 form: a publish would replace it.
  if (letter.brokenText !== undefined) return letter.brokenText;
  if (letter.bodyBase64 !== "") return "binary-body";
  // As listed, also with fields that are unknown today. A letter has no other text, but its root's flow control.
  if (hasPlaceholder(raw)) return "redacted";
  if (destination === null) return "bad-destination";
  return lossByHeaders(letter);
}

const responseFields: ReadonlySet<string> = new Set(["responseHeader", "responseBody", "responseBodyBase64"]);

function hasPlaceholder(record: RawRecord): boolean {
  for (const name in record) {
    const value = record[name];
    if (typeof value === "string" ? value.length < placeholderLength : typeof value !== "object") continue;
    if (!responseFields.has(name) && holdsPlaceholder(value, 0)) return true;
  }
  return false;
}

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

/** Cookies cannot be joined. The service may cut a stored body, undocumented: its length shows it. */
function lossByHeaders({ header, body }: DeadLetter): ParkReason | null {
  let cookies = 0;
  let setCookies = 0;
  let isCut = false;
  for (const name in header) {
    // No name of another length is one of the three.
    if (name.length !== 6 && name.length !== 10 && name.length !== 14) continue;
    const lower = name.toLowerCase();
    const values = header[name] ?? [];
    if (lower === "cookie") cookies += values.length;
    else if (lower === "set-cookie") setCookies += values.length;
    else if (lower === "content-length") {
      const bytes = Buffer.byteLength(body);
      isCut ||= values.some((length) => !/^\s*\d+\s*$/.test(length) || Number(length) !== bytes);
    }
  }
  if (cookies > 1 || setCookies > 1) return "unjoinable-header";
  return isCut ? "body-length-differs" : null;
}
