import type { z } from "zod";
import { groupBy } from "../../../group-items-by-key.ts";
import type { DrainName } from "../../../job/contracts/ids.ts";
import type { ParkedDeadLetter } from "../../../job/contracts/ledger-entries.ts";
import type { ParkedPage, ParkedPlace } from "../../../job/contracts/ledger.ts";
import { serviceNow } from "../../../job/contracts/service.ts";
import { type Core, type DrainRuntime, listToEnd, type SourceRuntime } from "../../../job/door.ts";
import type { DlqId, RawRecord } from "../../../job/message/dead-letter.ts";
import { defined } from "../../../job/message/defined.ts";
import { hostOf } from "../../../job/message/destination-url.ts";
import { failureKindOf, unreadableKind, type FailureKind } from "../../../job/message/failure-kind.ts";
import { withRootFlowControl } from "../../../job/message/flow-control.ts";
import { readLineage, rootOf } from "../../../job/message/lineage.ts";
import { enteredAtOfId, parseRecord } from "../../../job/message/parse-record.ts";
import type { Select } from "../../../job/message/select.ts";
import { compileHostGlob } from "../../../job/rules/patterns/host-and-path-tests.ts";
import { readFailureMatcher } from "../../plan/filter-letters.ts";
import type { ParkedSearch } from "../define.ts";
import type { parkedFilter } from "../fields.ts";

export type ParkedFilter = Readonly<z.output<typeof parkedFilter>>;

/** Its `letter`: null if it is no longer in the queue, undefined if it was not listed. */
export interface FoundParked extends ParkedRecord {
  readonly letter?: ParkedLetter | null | undefined;
  readonly source: SourceRuntime;
  /** False: the document has no such drain on this source, so no rules decide it again until a release. */
  readonly hasDrain: boolean;
}

export interface ParkedSelection {
  readonly filter: ParkedFilter;
  readonly ids?: readonly string[];
  /** `if-needed`: the queue is listed only if host, rule or failure are asked for. */
  readonly listing: "always" | "if-needed";
  /** Only so many of the oldest are searched in the queue, if the ledger alone knows which fit. */
  readonly most?: number;
}

/** Calls back with each that fits, in no order, with its record if listed. Answers how many, also without `most`. */
export async function visitParked(
  core: Core,
  { filter, ids = [], listing, most = Infinity }: ParkedSelection,
  search: ParkedSearch,
  onFit: (one: FoundParked, raw?: RawRecord) => void,
): Promise<number> {
  const { host, rule, failure } = filter;
  const asksLetter = [host, rule, failure].some((asked) => asked !== undefined);
  const isHost = host === undefined ? () => true : compileHostGlob(host);
  const known = await readLedgers(core, filter, new Set(ids));
  const chosen = asksLetter || most === Infinity ? known : oldestOf(known, most);
  if (listing === "if-needed" && !asksLetter) {
    chosen.forEach((one) => onFit(one));
    return known.length;
  }
  let fitting = 0;
  for (const [source, own] of groupBy(chosen, (one) => one.source)) {
    const { drains } = core;
    const isOfKind = failure === undefined ? () => true : await readFailureMatcher(source, failure);
    const { unseen, isAbsent } = await findParkedLetters(source, drains, own, search, (one, letter, raw) => {
      if (!isHost(letter.host) || !isOfKind(letter.failure) || (rule !== undefined && letter.rule !== rule))
        return;
      fitting += 1;
      onFit({ ...one, letter }, raw);
    });
    if (asksLetter) continue;
    for (const one of unseen) onFit(isAbsent ? { ...one, letter: null } : one);
  }
  return asksLetter ? fitting : known.length;
}

async function readLedgers(
  core: Core,
  filter: ParkedFilter,
  wanted: ReadonlySet<string>,
): Promise<readonly FoundParked[]> {
  const own: FoundParked[] = [];
  for (const { runtime: source } of core.sources.values()) {
    for (const { dlqId, view } of await readParked(source)) {
      if (wanted.size > 0 && !wanted.has(dlqId)) continue;
      if (filter.drain !== undefined && view.drain !== filter.drain) continue;
      if (filter.for !== undefined && view.reason !== filter.for) continue;
      const hasDrain = core.drains.get(view.drain)?.config.source.id === source.config.id;
      own.push({ dlqId, view, source, hasDrain });
    }
  }
  return own;
}

function oldestOf(known: readonly FoundParked[], most: number): readonly FoundParked[] {
  const oldest = createOldest<FoundParked>(most);
  known.forEach(oldest.add);
  return oldest.read();
}

export function createOldest<One extends ParkedRecord>(limit: number) {
  let kept: One[] = [];
  const trim = (): void => {
    kept = kept.toSorted(oldestFirst).slice(0, limit);
  };
  return {
    add(one: One): void {
      kept.push(one);
      if (kept.length >= 2 * limit) trim();
    },
    read(): readonly One[] {
      trim();
      return kept;
    },
  };
}

function oldestFirst(one: ParkedRecord, other: ParkedRecord): number {
  return enteredAtOfId(one.dlqId) - enteredAtOfId(other.dlqId);
}

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
