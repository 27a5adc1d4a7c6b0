import { createHmac } from "node:crypto";
import type {
  BatchItem,
  DeadLetter,
  DeduplicationId,
  DlqId,
  MessageId,
  RawRecord,
} from "../../src/job/message/dead-letter.ts";
import { toItemJson } from "../../src/job/message/encode-item.ts";
import { hashBody, signLineage, type Lineage, type LineageKey } from "../../src/job/message/lineage.ts";
import { parseRecord } from "../../src/job/message/parse-record.ts";
import type { LedgerView } from "../../src/job/contracts/ledger-entries.ts";
import type { RecordFacts } from "../../src/job/rules/record-facts.ts";

/** Entry into the DLQ of `rawRecord()`, Unix ms. */
export const enteredAt = 1_725_323_658_779;

/** A record as the service lists it, the smallest that can be acted on. */
export function rawRecord(fields: Record<string, unknown> = {}): RawRecord {
  return {
    dlqId: `${enteredAt}-0`,
    messageId: "msg_26hZCxZCuWyyTWPmSVBrNB8",
    url: "https://api.example.com/orders",
    createdAt: enteredAt - 60_000,
    body: '{"order":1}',
    ...fields,
  };
}

/** A dead letter as parseRecord makes it of `rawRecord(fields)`. */
export function letterOf(fields: Record<string, unknown> = {}): DeadLetter {
  const parsed = parseRecord(rawRecord(fields));
  if (parsed.kind === "unusable") throw new Error(`the test's record is unusable: ${parsed.problem}`);
  return parsed.letter;
}

export function factsOf(
  fields: Record<string, unknown> = {},
  known: Partial<Omit<RecordFacts, "letter">> = {},
): RecordFacts {
  const letter = letterOf(fields);
  return {
    letter,
    now: enteredAt + 3_600_000,
    attempt: 0,
    rootCreatedAt: letter.createdAt,
    // Three days, the shortest retention.
    expiresAt: letter.enteredAt + 259_200_000,
    ...known,
  };
}

export const dlqIdOf = (text: string): DlqId => text as DlqId;
export const messageIdOf = (text: string): MessageId => text as MessageId;
export const deduplicationIdOf = (text: string): DeduplicationId => text as DeduplicationId;

/** What the ledger says of a record that was published and is not deleted yet. */
export const publishedView: LedgerView = {
  state: "published",
  as: messageIdOf("msg_new"),
  drain: null,
  at: enteredAt,
  deleteFailed: false,
  maybeGone: false,
  isBeingDeleted: false,
  datesAgree: false,
  messageId: null,
};

/** The lineage header's value over a body. */
export function writeLineage(lineage: Lineage, body: string, key: LineageKey): string {
  return signLineage(lineage, hashBody(body), key);
}

export function lineagePayloadOf(header: string): Record<string, unknown> {
  const [, payload = ""] = header.split(".");
  return JSON.parse(Buffer.from(payload, "base64url").toString()) as Record<string, unknown>;
}

/** The header of another version, or of somebody who has our key. */
export function signFields(fields: object, key: LineageKey): string {
  const signed = `v1.${Buffer.from(JSON.stringify(fields)).toString("base64url")}`;
  return `${signed}.${createHmac("sha256", key).update(signed).digest("base64url")}`;
}

/** The parts of a candidate that give this item, with a deduplication id. */
export function sendsPlain(item: BatchItem): object {
  const headers = { ...item.headers, "Upstash-Deduplication-Id": "redriver-1-0-999" };
  return { sendAs: null, plain: { json: toItemJson({ ...item, headers }, "Upstash-") } };
}
