import { createHash } from "node:crypto";
import type { MessageId } from "../message/dead-letter.ts";

const plain = /^msg_[\w.:=~+-]{1,128}$/;

/**
 * A message id of an answer as it may be kept and shown: as it came where it has the documented form
 * (service-interface.md 2.2), else under a name made of its hash, because it may hold anything, the token or
 * a body too. Equal ids stay equal.
 */
export function toShownMessageId(messageId: string, token: string): MessageId {
  if (plain.test(messageId) && !holdsToken(messageId, token)) return messageId as MessageId;
  return `msg_hash-${createHash("sha256").update(messageId).digest("hex").slice(0, 24)}` as MessageId;
}

/**
 * An id of a listed record is needed to ask for that record, so it is kept whatever its form, unless it
 * repeats the token.
 */
export function withoutTokenInIds(record: Readonly<Record<string, unknown>>, token: string) {
  const { messageId } = record;
  if (typeof messageId !== "string" || !holdsToken(messageId, token)) return record;
  return { ...record, messageId: toShownMessageId(messageId, token) };
}

const minTokenLength = 6;

function holdsToken(text: string, token: string): boolean {
  return token.length >= minTokenLength && text.includes(token);
}
