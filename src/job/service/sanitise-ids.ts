import { createHash } from "node:crypto";
import type { MessageId, RawRecord } from "../message/dead-letter.ts";

const plain = /^msg_[\w.:=~+-]{1,128}$/;

/**
 * A message id of an answer, fit to store and show. An id of the documented form (service-interface.md 2.2) stays. Any
 * other may hold anything, even the token or a body, so its hash becomes its name. Equal ids stay equal.
 */
export function toShownMessageId(messageId: string, token: string): MessageId {
  if (plain.test(messageId) && !holdsToken(messageId, token)) return messageId as MessageId;
  return `msg_hash-${createHash("sha256").update(messageId).digest("hex").slice(0, 24)}` as MessageId;
}

/** The ids of listed records are needed to ask for them, so any form is kept, unless it repeats the token. */
export function withoutTokenInIds(records: readonly RawRecord[], token: string): RawRecord[] {
  const shown: RawRecord[] = [];
  for (const record of records) {
    const { messageId } = record;
    const isKept = typeof messageId !== "string" || !holdsToken(messageId, token);
    shown.push(isKept ? record : { ...record, messageId: toShownMessageId(messageId, token) });
  }
  return shown;
}

const minTokenLength = 6;

function holdsToken(text: string, token: string): boolean {
  return token.length >= minTokenLength && text.includes(token);
}
