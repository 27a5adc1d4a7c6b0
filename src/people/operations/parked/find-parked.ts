import { serviceNow } from "../../../job/contracts/service.ts";
import type { DlqId, RawRecord } from "../../../job/message/dead-letter.ts";
import { defined } from "../../../job/message/defined.ts";
import { withRootFlowControl } from "../../../job/message/flow-control.ts";
import { readLineage, rootOf } from "../../../job/message/lineage.ts";
import { enteredAtOfId, parseRecord } from "../../../job/message/parse-record.ts";
import type { DrainName } from "../../../job/contracts/ids.ts";
import type { ParkedPage, ParkedPlace } from "../../../job/contracts/ledger.ts";
import type { ParkedDeadLetter } from "../../../job/contracts/ledger-entries.ts";
import type { Select } from "../../../job/message/select.ts";
import { failureKindOf, unreadableKind, type FailureKind } from "../../../job/message/failure-kind.ts";
import { hostOf } from "../../../job/message/destination-url.ts";
import { type DrainRuntime, type SourceRuntime, type ListingSignals, listToEnd } from "../../../job/door.ts";

/** What the queue and the rules show of a parked dead letter that is still listed. */
export interface ParkedLetter {
  readonly host: string;
  readonly status: number | null;
  readonly failure: FailureKind;
  /** The rule that matches now; null: none, or its drain is no longer in the document. */
  readonly rule: string | null;
}

/** Why and by which drain a record was parked, and its kind of failure, as many records have it in common. */
type ParkedWhy = Pick<ParkedDeadLetter["view"], "drain" | "reason" | "attempt" | "failure">;

export interface ParkedRecord {
  readonly dlqId: DlqId;
  readonly view: ParkedWhy;
}

const entriesPerRead = 200;

/** All parked records of a source, in no order. Each takes about 100 bytes, because those alike share a view. */
export async function readParked({ ledger }: SourceRuntime): Promise<readonly ParkedRecord[]> {
  const found = new Map<DlqId, ParkedRecord>();
  const views = new Map<string, ParkedWhy>();
  let place: ParkedPlace | null = null;
  do {
    const page: ParkedPage = await ledger.parked(place, entriesPerRead);
    for (const { dlqId, view } of page.entries) {
      const { drain, reason, attempt, failure } = view;
      const key = `${drain} ${reason} ${attempt} ${failure ?? ""}`;
      const shared = views.get(key) ?? { drain, reason, attempt, ...defined({ failure }) };
      views.set(key, shared);
      found.set(dlqId, { dlqId, view: shared });
    }
    place = page.next;
  } while (place !== null);
  return [...found.values()];
}

export interface ParkedSearch extends ListingSignals {
  readonly onListed?: (listed: number) => void;
}

/**
 * Searches the queue for these, page by page, and reports each one found. Answers those not found, and
 * whether that proves them absent: not if a record was passed over. If one drain parked all of them, its selection is listed first, which is
 * shorter. Entries missing there may merely have left the selection.
 */
export async function findParkedLetters<Entry extends ParkedRecord>(
  source: SourceRuntime,
  drains: ReadonlyMap<DrainName, DrainRuntime>,
  entries: readonly Entry[],
  search: ParkedSearch,
  onFound: (entry: Entry, letter: ParkedLetter, raw: RawRecord) => void,
): Promise<{ readonly unseen: readonly Entry[]; readonly isAbsent: boolean }> {
  const missing = new Map<string, Entry>(entries.map((entry) => [entry.dlqId, entry]));
  const names = new Set(entries.map(({ view }) => view.drain));
  const [only] = names;
  const select = names.size === 1 && only !== undefined ? (drains.get(only)?.config.select ?? {}) : {};
  const look = (selected: Select): Promise<boolean> =>
    listThrough(source, selected, missing, search, (entry, raw) => {
      onFound(entry, toParkedLetter(source, drains.get(entry.view.drain), entry, raw), raw);
    });
  let isWhole = await look(select);
  if (Object.keys(select).length > 0) isWhole = await look({});
  return { unseen: [...missing.values()], isAbsent: isWhole };
}

/** True if everything that this selects was listed, or nothing is missing any more. */
async function listThrough<Entry extends ParkedRecord>(
  source: SourceRuntime,
  select: Select,
  missing: Map<string, Entry>,
  { onListed, ...signals }: ParkedSearch,
  onFound: (entry: Entry, raw: RawRecord) => void,
): Promise<boolean> {
  if (missing.size === 0) return true;
  let isWhole = true;
  let listed = 0;
  const range = (await source.book.datesMean()) === "entered" ? toRange(missing.values()) : {};
  // A person waits for it and can end it, so it has no time limit.
  const inTime = { ...signals, maxListingMs: Infinity };
  for await (const { records, passedOver } of listToEnd(source, { select, ...range }, inTime)) {
    if (passedOver !== null) isWhole = false;
    for (const raw of records) {
      const { dlqId } = raw;
      const entry = typeof dlqId === "string" ? missing.get(dlqId) : undefined;
      if (entry === undefined) continue;
      missing.delete(entry.dlqId);
      onFound(entry, raw);
    }
    if (missing.size === 0) return true;
    listed += records.length;
    onListed?.(listed);
  }
  return isWhole;
}

function toRange(entries: Iterable<ParkedRecord>) {
  let [fromDate, toDate] = [Infinity, 0];
  for (const { dlqId } of entries) {
    const at = enteredAtOfId(dlqId);
    fromDate = Math.min(fromDate, at);
    toDate = Math.max(toDate, at);
  }
  return { fromDate, toDate };
}

function toParkedLetter(
  source: SourceRuntime,
  drain: DrainRuntime | undefined,
  { view }: ParkedRecord,
  raw: RawRecord,
): ParkedLetter {
  const parsed = parseRecord(raw);
  if (parsed.kind === "unusable") {
    return { host: "(unreadable)", status: null, failure: unreadableKind, rule: null };
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
    failure: failureKindOf(letter),
    rule: routing?.rule ?? null,
  };
}
