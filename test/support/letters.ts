import { createHmac } from "node:crypto";
import type {
  DeadLetter,
  DeduplicationId,
  DlqId,
  MessageId,
  RawRecord,
} from "../../src/job/message/dead-letter.ts";
import {
  hashBody,
  rootOf,
  signLineage,
  type Lineage,
  type LineageKey,
} from "../../src/job/message/lineage.ts";
import { parseRecord } from "../../src/job/message/parse-record.ts";
import type { ItemChanges } from "../../src/job/message/item-changes.ts";
import type { LedgerView } from "../../src/job/contracts/ledger-entries.ts";
import type { DrainName } from "../../src/job/contracts/ids.ts";
import { Letter } from "../../src/job/page/letter.ts";
import { parsePage } from "../../src/job/page/parse-page.ts";
import { prepare } from "../../src/job/page/prepare.ts";
import type { Decision } from "../../src/job/rules/decision.ts";
import type { RecordFacts } from "../../src/job/rules/record-facts.ts";
import { anyItem } from "./item-checks.ts";

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

export const lineageKey = "key";

/** A letter as parsePage makes it of this record, decided for a republish at the time of `factsOf`. */
export function listedLetter(raw: RawRecord, attempt?: number): Letter {
  const [letter] = parsePage([raw], [lineageKey]).letters;
  if (letter === undefined) throw new Error("the test's record is unusable");
  letter.viewedAt = enteredAt;
  letter.attempt = attempt ?? rootOf(letter.content, letter.reading).attempt;
  letter.decision = { then: "republish", reason: "due", rule: null, set: {} };
  letter.facts = factsOf(raw);
  return letter;
}

export interface DueFields {
  /** Any name. Absent: that of `rawRecord()`. */
  readonly dlqId?: string;
  /** Unix ms. Absent: as its id says. */
  readonly enteredAt?: number;
  readonly host?: string;
  readonly url?: string;
  readonly queue?: string;
  readonly rule?: string | null;
  readonly view?: LedgerView;
  /** Redrives that count. Absent: as its lineage says. */
  readonly attempt?: number;
  /** What its rule sets. */
  readonly set?: ItemChanges;
  /** Other fields, as they are listed. */
  readonly listed?: Record<string, unknown>;
}

/** A due letter as decideLetter leaves it: with an item that could be sent. */
export function dueLetter({
  dlqId,
  enteredAt: entered,
  host = "api.example.com",
  url = `https://${host}/orders`,
  queue,
  rule = "outage",
  view = { state: "absent" },
  attempt: redrives,
  set = {},
  listed = {},
}: DueFields = {}): Letter {
  const isListedSo = dlqId !== undefined && /^\d+-\d+$/.test(dlqId);
  const parsed = listedLetter(
    rawRecord({ ...(isListedSo ? { dlqId } : {}), url, queueName: queue, ...listed }),
    redrives,
  );
  const content = {
    ...parsed.content,
    ...(dlqId === undefined ? {} : { dlqId: dlqIdOf(dlqId) }),
    ...(entered === undefined ? {} : { enteredAt: entered }),
  };
  const letter = new Letter(parsed.raw, content, parsed.reading, parsed.failure);
  const { viewedAt, attempt, facts } = parsed;
  const reason = view.state === "open" ? "reconcile" : "due";
  Object.assign(letter, { view, viewedAt, attempt, facts });
  letter.decision = { then: "republish", reason, rule, set };
  const preparation = {
    headerPrefix: "Upstash-",
    lineageKey,
    onLoss: "republish",
    checkItem: anyItem,
  } as const;
  const prepared = prepare(letter, { set }, preparation);
  if (prepared.kind !== "item") throw new Error(`the test's letter is parked: ${prepared.reason}`);
  letter.item = prepared.item;
  return letter;
}

/** A letter that is not due. */
export function decidedLetter(
  decision: Exclude<Decision, { then: "republish" }>,
  fields: DueFields = {},
): Letter {
  const letter = dueLetter(fields);
  letter.item = null;
  letter.decision = decision;
  return letter;
}

/** What the ledger says of an attempt that nobody has answered. */
export function openView(over: Partial<Extract<LedgerView, { state: "open" }>> = {}): LedgerView {
  return {
    state: "open",
    drain: "orders" as DrainName,
    series: { suffix: 1, firstAt: enteredAt, posts: 1, refusals: 0, doubts: 0 },
    lastAt: enteredAt,
    attempt: 0,
    messageId: messageIdOf("msg_26hZCxZCuWyyTWPmSVBrNB8"),
    released: false,
    unknown: true,
    pastHorizon: false,
    ...over,
  };
}
