import type { DlqId, RawRecord } from "../../message/dead-letter.ts";
import { withRootFlowControl } from "../../message/flow-control.ts";
import { readLineage, rootOf } from "../../message/lineage.ts";
import { enteredAtOfId, parseRecord } from "../../message/parse-record.ts";
import type { DrainName } from "../../ports/ids.ts";
import type { ParkedDeadLetter } from "../../ports/ledger-entries.ts";
import type { Select } from "../../message/select.ts";
import { signatureOf, type Signature } from "../../message/signature/signature-of.ts";
import type { FailureKind } from "../../ports/failures.ts";
import { failureKindOf, unreadableKind } from "../failures/failure-kind.ts";
import type { ListingSignals } from "../listing/list-page.ts";
import { listToEnd } from "../listing/list-to-end.ts";
import { hostOf } from "../../message/destination-url.ts";
import { serviceNow, type DrainRuntime, type SourceRuntime } from "../runtime.ts";

/** What the queue and the rules show of a parked dead letter that is still listed. */
export interface ParkedLetter {
  /** Host with port of its destination. */
  readonly host: string;
  /** The HTTP status of its failure; null: no answer. */
  readonly status: number | null;
  /** The signature of its failure; null: its record is not readable. */
  readonly signature: Signature | null;
  readonly failure: FailureKind;
  /** The rule that matches now; null: none, or its drain is no longer in the document. */
  readonly rule: string | null;
}

/** All parked entries of a source, by time of entry, with their ids and ledger views. */
export async function readParked({ ledger }: SourceRuntime): Promise<readonly ParkedDeadLetter[]> {
  const found = new Map<DlqId, ParkedDeadLetter>();
  let cursor: string | null = null;
  do {
    const page = await ledger.parkedEntries(cursor);
    for (const entry of page.entries) found.set(entry.dlqId, entry);
    ({ cursor } = page);
  } while (cursor !== null);
  return [...found.values()].toSorted((one, other) => enteredAtOfId(one.dlqId) - enteredAtOfId(other.dlqId));
}

/**
 * Searches the queue for these, page by page, and reports each one found. Answers those proven absent: none
 * if a record was passed over. If one drain parked all of them, its selection is listed first, which is
 * shorter. Entries missing there may merely have left the selection.
 */
export async function findParkedLetters(
  source: SourceRuntime,
  drains: ReadonlyMap<DrainName, DrainRuntime>,
  entries: readonly ParkedDeadLetter[],
  signals: ListingSignals,
  onFound: (entry: ParkedDeadLetter, letter: ParkedLetter, raw: RawRecord) => void,
): Promise<ReadonlySet<DlqId>> {
  const missing = new Map<string, ParkedDeadLetter>(entries.map((entry) => [entry.dlqId, entry]));
  const names = new Set(entries.map(({ view }) => view.drain));
  const [only] = names;
  const select = names.size === 1 && only !== undefined ? (drains.get(only)?.config.select ?? {}) : {};
  const look = (selected: Select): Promise<boolean> =>
    listThrough(source, selected, missing, signals, (entry, raw) => {
      onFound(entry, toParkedLetter(source, drains.get(entry.view.drain), entry, raw), raw);
    });
  let isWhole = await look(select);
  if (Object.keys(select).length > 0) isWhole = await look({});
  return new Set(isWhole ? [...missing.values()].map(({ dlqId }) => dlqId) : []);
}

/** True if everything that this selects was listed, or nothing is missing any more. */
async function listThrough(
  source: SourceRuntime,
  select: Select,
  missing: Map<string, ParkedDeadLetter>,
  signals: ListingSignals,
  onFound: (entry: ParkedDeadLetter, raw: RawRecord) => void,
): Promise<boolean> {
  if (missing.size === 0) return true;
  let isWhole = true;
  const range = (await source.book.datesMean()) === "entered" ? toRange([...missing.values()]) : {};
  // A person waits for it and can end it, so it has no time limit.
  const inTime = { ...signals, maxListingMs: Infinity };
  for await (const { records, passedOver } of listToEnd(source, { select, ...range }, inTime)) {
    if (passedOver !== null) isWhole = false;
    for (const raw of records) {
      const entry = missing.get(String(raw["dlqId"]));
      if (entry === undefined) continue;
      missing.delete(entry.dlqId);
      onFound(entry, raw);
    }
    if (missing.size === 0) return true;
  }
  return isWhole;
}

function toRange(entries: readonly ParkedDeadLetter[]) {
  const times = entries.map(({ dlqId }) => enteredAtOfId(dlqId)).toSorted((one, other) => one - other);
  return { fromDate: times[0] ?? 0, toDate: times.at(-1) ?? 0 };
}

function toParkedLetter(
  source: SourceRuntime,
  drain: DrainRuntime | undefined,
  { view }: ParkedDeadLetter,
  raw: RawRecord,
): ParkedLetter {
  const parsed = parseRecord(raw);
  if (parsed.kind === "unusable") {
    return { host: "(unreadable)", status: null, signature: null, failure: unreadableKind, rule: null };
  }
  const reading = readLineage(parsed.letter, source.lineageKeys());
  const letter = withRootFlowControl(parsed.letter, reading);
  const root = rootOf(letter, reading);
  const routing = drain?.config.route({
    letter,
    now: serviceNow(source),
    attempt: Math.max(root.attempt, view.attempt),
    rootCreatedAt: root.rootCreatedAt,
    expiresAt: letter.enteredAt + source.config.retentionMs,
  });
  return {
    host: hostOf(letter.url),
    status: letter.responseStatus ?? null,
    signature: signatureOf(letter),
    failure: failureKindOf(letter),
    rule: routing?.rule ?? null,
  };
}
