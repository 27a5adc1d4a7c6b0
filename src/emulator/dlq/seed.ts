import { newMessageId } from "../ids.ts";
import type { StoredDeadLetter } from "./stored-dead-letter.ts";

/**
 * A record as a test wants it listed. What is left out gets a plain value; any further field is kept as it is.
 * `dlqId: null` makes a record whose listing carries no dlqId.
 */
export interface SeedRecord {
  readonly dlqId?: string | null | undefined;
  readonly [field: string]: unknown;
}

export function toSeed(record: SeedRecord, dlqId: string, now: number): StoredDeadLetter {
  const createdAt = typeof record["createdAt"] === "number" ? record["createdAt"] : now;
  return {
    messageId: newMessageId(),
    url: "http://127.0.0.1/",
    method: "POST",
    header: { "Content-Type": ["application/json"] },
    body: "{}",
    bodyBase64: "",
    maxRetries: 3,
    notBefore: createdAt,
    createdAt,
    callerIP: "127.0.0.1",
    responseStatus: 500,
    responseHeader: {},
    responseBody: "",
    responseBodyBase64: "",
    ...record,
    dlqId: record.dlqId === null ? undefined : dlqId,
  };
}
