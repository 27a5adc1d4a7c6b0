import { createHash } from "node:crypto";
import type { MessageId } from "../message/dead-letter.ts";

const plain = /^msg_[\w.:=~+-]{1,128}$/;

/**
 * A message id of an answer, fit to store and show. An id of the documented form (service-interface.md 2.2)
 * stays. Any other may hold anything, even the token or a body, so its hash becomes its name. Equal ids stay
 * equal.
 */
export function toShownMessageId(messageId: string, token: string): MessageId {
  if (plain.test(messageId) && !holdsToken(messageId, token)) return messageId as MessageId;
  return `msg_hash-${createHash("sha256").update(messageId).digest("hex").slice(0, 24)}` as MessageId;
}

/** The id of a listed record is needed to ask for it, so any form is kept, unless it repeats the token. */
export function withoutTokenInIds(record: Readonly<Record<string, unknown>>, token: string) {
  const { messageId } = record;
  if (typeof messageId !== "string" || !holdsToken(messageId, token)) return record;
  return { ...record, messageId: toShownMessageId(messageId, token) };
}

const minTokenLength = 6;

function holdsToken(text: string, token: string): boolean {
  return token.length >= minTokenLength && text.includes(token);
}
