import { isUtf8 } from "node:buffer";
import type { MessageId } from "../message/dead-letter.ts";
import { isCount, isObject, parseJson } from "../message/json-value.ts";
import { isMessageId } from "../message/message-ids.ts";
import { toHeaders } from "../message/parse-record.ts";
import type { AttemptReport } from "../contracts/callbacks.ts";

export function parseCallback(body: Buffer): AttemptReport | null {
  const fields = isUtf8(body) ? toFields(body.toString("utf8")) : null;
  if (fields === null) return null;
  const { status = 0, retried = 0, maxRetries = 0, createdAt } = fields;
  const { sourceMessageId, sourceHeader = {}, sourceBody = "" } = fields;
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
    ...(isCount(createdAt) ? { createdAt } : {}),
    sent: { header, body: isText ? bytes.toString("utf8") : "", bodyBase64: isText ? "" : sourceBody },
  };
}

function toFields(text: string): Readonly<Record<string, unknown>> | null {
  const value = parseJson(text);
  if (!isObject(value)) return null;
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null));
}
