import { isUtf8 } from "node:buffer";
import type { HeaderValues, MessageId } from "../../message/dead-letter.ts";
import type { AttemptReport } from "../../ports/callbacks.ts";
import { isMessageId } from "../../message/message-id.ts";

/** Parses a callback's body; null if it is none. Unused fields are ignored. */
export function parseCallback(body: Buffer): AttemptReport | null {
  const told = isUtf8(body) ? toObject(body.toString("utf8")) : null;
  if (told === null) return null;
  const {
    status = 0,
    retried = 0,
    maxRetries = 0,
    sourceMessageId,
    sourceHeader = {},
    sourceBody = "",
  } = told;
  if (!isCount(status) || !isCount(retried) || !isCount(maxRetries)) return null;
  if (!isMessageId(sourceMessageId)) return null;
  const header = toHeaders(sourceHeader);
  if (header === null || typeof sourceBody !== "string") return null;
  const bytes = Buffer.from(sourceBody, "base64");
  const isText = isUtf8(bytes);
  return {
    messageId: sourceMessageId as MessageId,
    status,
    retried,
    maxRetries,
    sent: {
      header,
      body: isText ? bytes.toString("utf8") : "",
      bodyBase64: isText ? "" : sourceBody,
    },
  };
}

/** Members that are null are absent. */
function toObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
    return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null));
  } catch {
    return null;
  }
}

function toHeaders(value: unknown): HeaderValues | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  const headers: [string, readonly string[]][] = [];
  for (const [name, listed] of Object.entries(value as Readonly<Record<string, unknown>>)) {
    const values: readonly unknown[] = Array.isArray(listed) ? listed : [listed];
    if (!values.every((one) => typeof one === "string")) return null;
    headers.push([name, values]);
  }
  return Object.fromEntries(headers);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
