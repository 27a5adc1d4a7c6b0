/**
 * Counts everything that a source has. Any replica lists each source without filter at its own slow interval, for
 * all. A full pass that lists everything has counted the source too. If it deleted before one of its cursors, it
 * does not count: a service whose cursor is a position then skips records, and no page shows which kind it is.
 *
 * Records near their expiry that no drain selects are copied here. Those of drains without copies (`beforeExpiry:
 * nothing`) are counted apart: somebody decided that they may be lost.
 */
import { serviceNow } from "../contracts/service.ts";
import { nearExpiryMs, type Census } from "../contracts/source-book.ts";
import type { RawRecord } from "../message/dead-letter.ts";
import type { Archive } from "../contracts/archive.ts";
import { RedriverError, unlessRedisAway } from "../contracts/errors.ts";
import { enteredAtOf, parseRecord } from "../message/parse-record.ts";
import type { DrainName } from "../contracts/ids.ts";
import type { DrainConfig } from "../contracts/drains-document.ts";
import { inCountingOrder } from "../contracts/failures.ts";
import type { DrainFacts } from "../contracts/passes.ts";
import { earlier } from "../contracts/tally.ts";
import { countStrays } from "./unselected-come-backs.ts";
import { createDrainSelects, type DatesMeaning } from "../listing/drain-selects.ts";
import { dayMs, expiresAtOf, hourMs } from "../listing/record-dates.ts";
import type { ListingSignals } from "../listing/list-page.ts";
import { listToEnd, maxListingMs } from "../listing/list-to-end.ts";
import { byHalves } from "../by-halves.ts";
import type { SourceRuntime } from "../runtime.ts";
import { FailureTally } from "../failures/count-failures.ts";
import { toCountingKey } from "../failures/shared-letters.ts";
import { countedAs, failureKindOf, unreadableKind } from "../message/failure-kind.ts";
import { copyKeyOf, keepCopies } from "../page/keep-copies.ts";
import type { Letter } from "../page/letter.ts";
import { parsePage } from "../page/parse-page.ts";
import { takeJob, type CarefulJob } from "../pass/careful-job.ts";

export interface CensusOrder {
  readonly source: SourceRuntime;
  readonly drains: readonly Pick<DrainConfig, "name" | "mode" | "select" | "dates" | "beforeExpiry">[];
  readonly documentHash: string;
  readonly archive: Archive | null;
  readonly onUnselected?: (letters: readonly Letter[]) => Promise<void>;
}

/** How often within its interval a source is checked for a due census. */
export const censusLooks = 4;

/**
 * Counts the source, unless a count is young enough: null. A count by a pass is replaced at the first check at
 * which it is 3/4 of an interval old. One by a listing is dated a moment after its check, so from 7/8 on, at the
 * fourth check. Two replicas with a job each list once. Throws RedriverErrors of the service or Redis, or
 * `stopped`.
 */
export async function takeCensus(
  order: CensusOrder,
  signals: ListingSignals,
  hasStalled = false,
): Promise<Census | null> {
  const { source, documentHash } = order;
  const known = await source.book.census();
  const { at: now } = await source.ledger.now();
  if (known !== null && known.documentHash === documentHash) {
    const served = known.counted === "pass" ? 1 - 1 / censusLooks : 1 - 1 / (2 * censusLooks);
    if (now - known.at < source.config.censusEveryMs * served) return null;
  }
  const startedAt = source.clock.monotonic();
  const { gone: goneBefore } = await source.ledger.summary();
  const goneOf = await readGone(order);
  let toldAt = -Infinity;
  const counts = await countWithCare(order, signals, hasStalled, async (soFar) => {
    if (known !== null || source.clock.monotonic() - toldAt < tellEveryMs) return;
    toldAt = source.clock.monotonic();
    // Only news: what expires is copied without Redis too.
    const tell = async () => source.book.tellSoFar(await recordSelected(source, soFar, goneOf));
    await unlessRedisAway(tell, undefined);
  });
  const selected = await recordSelected(source, counts.selected, goneOf);
  const countingKey = toCountingKey(order.drains);
  const census = { ...counts.census, countingKey, goneBefore, selected };
  await source.book.recordCensus(census);
  reportCensus(source, census, startedAt);
  return census;
}

/** While Redis cannot be relied on: each replica for itself, each record once, and nothing is recorded. */
export async function takeCensusWithoutRedis(order: CensusOrder, signals: ListingSignals): Promise<void> {
  const { source } = order;
  const startedAt = source.clock.monotonic();
  const { census } = await count({ ...order, source: withoutRedis(source) }, signals, careless);
  reportCensus(source, census, startedAt);
}

/** Its pages get this machine's time, and dates are taken as entry. A page with such a time must begin nothing. */
function withoutRedis(source: SourceRuntime): SourceRuntime {
  const { ledger, book, clock } = source;
  return {
    ...source,
    ledger: { ...ledger, now: () => Promise.resolve({ at: clock.now(), epoch: "", sequence: 0 }) },
    book: { ...book, datesMean: () => Promise.resolve(null) },
  };
}

function reportCensus({ clock, config, events }: SourceRuntime, census: Census, startedAt: number): void {
  const { depth, unselected, expiringUnarchived } = census;
  const durationMs = clock.monotonic() - startedAt;
  events.emit({ type: "census:taken", source: config.id, depth, unselected, expiringUnarchived, durationMs });
}

type Selected = ReadonlyMap<DrainName, FailureTally>;
type OnPage = (soFar: Selected) => Promise<void>;

/** A first count says how far it is at most this often. */
const tellEveryMs = 2_000;

type GoneOf = ReadonlyMap<DrainName, NonNullable<DrainFacts["gone"]>>;

/** Before a census lists: of what leaves meanwhile, some is counted, so there may be more than a reader is told. */
async function readGone({ source, drains }: CensusOrder): Promise<GoneOf> {
  const all = await Promise.all(
    drains.map(async ({ name }) => [name, (await source.passes.facts(name))?.gone ?? {}] as const),
  );
  return new Map(all);
}

async function recordSelected({ recordFailures }: SourceRuntime, selected: Selected, goneOf: GoneOf) {
  const counts: Record<DrainName, Record<string, number>> = {};
  for (const [drain, tally] of selected) {
    const ofDrain: Record<string, number> = { ...goneOf.get(drain) };
    for (const [id, { seen = 0 }] of Object.entries(await recordFailures(drain, tally))) {
      ofDrain[id] = (ofDrain[id] ?? 0) + seen;
    }
    counts[drain] = ofDrain;
  }
  return counts;
}

async function countWithCare(
  order: CensusOrder,
  signals: ListingSignals,
  hasStalled: boolean,
  onPage: OnPage,
) {
  const job = await takeJob(order.source, "census", hasStalled);
  try {
    return await count(order, signals, job, onPage);
  } finally {
    await job.end();
  }
}

type ListingJob = Pick<CarefulJob, "each" | "unlistable" | "endsListings">;

const careless: ListingJob = { endsListings: false, unlistable: [], each: (ones, work) => work(ones) };

async function count(order: CensusOrder, signals: ListingSignals, job: ListingJob, onPage?: OnPage) {
  if (job.endsListings) {
    throw new RedriverError("worker-lost", "the listing of a census has ended two workers in a row");
  }
  const { source, documentHash, archive } = order;
  const { retentionMs } = source.config;
  const datesMean = await source.book.datesMean();
  const selected = new Map(order.drains.map(({ name }) => [name, new FailureTally()]));
  const sort = createSort(order, datesMean, selected);
  const census: { -readonly [Key in keyof Census]: Census[Key] } = { ...emptyCensus, documentHash };
  const expires = { all: {}, unselected: {} };
  const strays = countStrays();
  let startedAt: number | undefined;
  // A longer interval allows a longer listing, so that a source of millions can be counted.
  const inTime = { ...signals, maxListingMs: Math.max(maxListingMs, source.config.censusEveryMs) };
  const pace = createPace(source.clock, signals.stopping);
  for await (const page of listToEnd(source, { select: {} }, inTime, job.unlistable)) {
    await pace(page.isLast);
    const now = serviceNow(source);
    if (page.passedOver !== null) {
      // It cannot be read, and so not copied either.
      const enteredAt = datesMean === "created" ? null : page.passedOver;
      census.depth += 1;
      census.oldestEnteredAt = earlier(census.oldestEnteredAt, enteredAt);
      if (enteredAt === null) continue;
      addExpiry(expires.all, enteredAt + retentionMs, now);
      census.expiringUnarchived += Number(enteredAt + retentionMs <= now + nearExpiryMs);
      continue;
    }
    startedAt ??= page.readAt;
    census.depth += page.records.length;
    const add = async (records: readonly RawRecord[]): Promise<void> => {
      const sorted = records.map((record) => sort(record, now));
      const unselected = sorted.flatMap(({ record, by }) => (by.length === 0 ? [record] : []));
      const { letters } = parsePage(unselected, source.lineageKeys());
      const near = sorted.filter(({ isNear }) => isNear);
      // Also records that a drain selects: its next pass may come after their expiry.
      const toKeep = near.flatMap(({ record, isKept }) => (isKept ? [record] : []));
      await keepCopies(source, toKeep, { archive, drain: null, documentHash });
      const keys = near.flatMap(({ record }) => copyKeyOf(record) ?? []);
      // Records without an id cannot be distinguished, so none of them counts as copied.
      const missing = new Set([null, ...(keys.length === 0 ? [] : await source.copies.missing(keys))]);
      const bare = near.filter(({ record }) => missing.has(copyKeyOf(record)));
      await order.onUnselected?.(letters);
      // Nothing breaks any more: each is counted once.
      for (const { by, met, enteredAt, expiresAt } of sorted) {
        const isUnselected = by.length === 0;
        for (const [rank, { failures }] of by.entries()) {
          failures?.add(countedAs(met.kind, rank > 0), met.dlqId, "seen");
        }
        addExpiry(expires.all, expiresAt ?? now, now);
        if (isUnselected) addExpiry(expires.unselected, expiresAt ?? now, now);
        if (isUnselected) census.oldestUnselectedAt = earlier(census.oldestUnselectedAt, enteredAt);
        census.oldestEnteredAt = earlier(census.oldestEnteredAt, enteredAt);
      }
      strays.add(letters, unselected.length - letters.length);
      census.unselected += unselected.length;
      for (const { isKept } of bare) census[isKept ? "expiringUnarchived" : "expiringAccepted"] += 1;
    };
    // One that cannot be sorted is in the depth alone.
    await job.each(
      page.records,
      (some) => byHalves(some, add, () => Promise.resolve()).then(() => undefined),
      () => Promise.resolve(),
    );
    await onPage?.(selected);
  }
  const at = startedAt ?? emptyCensus.at;
  const earliestExpiryAt = toExpiry(census.oldestEnteredAt, retentionMs);
  return { census: { ...census, expires, at, earliestExpiryAt, ...strays.counted() }, selected };
}

/** A page this slow waited for a source pause, or the service is slow. */
const slowPageMs = 1_000;
const pauseMs = 500;

/** After the first slow page, a census pauses between pages and so leaves most calls to passes and sweeps. */
function createPace({ monotonic, sleep }: SourceRuntime["clock"], stopping: AbortSignal) {
  let askedAt = monotonic();
  let isSlow = false;
  return async (isLast: boolean): Promise<void> => {
    isSlow ||= monotonic() - askedAt >= slowPageMs;
    // The same signal stops the listing, which reports it.
    if (isSlow && !isLast) await sleep(pauseMs, stopping).catch(() => undefined);
    askedAt = monotonic();
  };
}

function addExpiry(hours: Record<string, number>, at: number, now: number): void {
  // A census serves for an interval and a half, and that is at most a day.
  if (at > now + 2 * dayMs) return;
  const hour = String(Math.floor(at / hourMs));
  hours[hour] = (hours[hour] ?? 0) + 1;
}

export const emptyCensus: Census = {
  at: 0,
  counted: "listing",
  depth: 0,
  unselected: 0,
  oldestUnselectedAt: null,
  strayComeBacks: { count: 0, top: [] },
  oldestEnteredAt: null,
  earliestExpiryAt: null,
  expiringUnarchived: 0,
  expiringAccepted: 0,
  documentHash: "",
};

function createSort({ source, drains }: CensusOrder, datesMean: DatesMeaning, selected: Selected) {
  const { retentionMs } = source.config;
  const known = inCountingOrder(drains).map((drain) => ({
    selects: createDrainSelects(drain, datesMean),
    failures: selected.get(drain.name),
    withinMs: drain.beforeExpiry.withinMs,
    isKept: drain.beforeExpiry.then === "archive",
  }));
  return (record: RawRecord, now: number) => {
    const by = known.filter(({ selects }) => selects(record, now));
    const isUnselected = by.length === 0;
    const withinMs = isUnselected ? nearExpiryMs : Math.max(...by.map((drain) => drain.withinMs));
    const expiresAt = expiresAtOf(record, retentionMs);
    return {
      record,
      by,
      met: isUnselected ? unreadable : toKind(record),
      enteredAt: enteredAtOf(record),
      expiresAt,
      isNear: expiresAt === null || expiresAt <= now + withinMs,
      isKept: isUnselected || by.some((drain) => drain.isKept),
    };
  };
}

const unreadable = { kind: unreadableKind, dlqId: null };

function toKind(record: RawRecord) {
  const parsed = parseRecord(record);
  if (parsed.kind === "unusable") return unreadable;
  return { kind: failureKindOf(parsed.letter), dlqId: parsed.letter.dlqId };
}

export function toExpiry(oldestEnteredAt: number | null, retentionMs: number): number | null {
  return oldestEnteredAt === null ? null : oldestEnteredAt + retentionMs;
}
