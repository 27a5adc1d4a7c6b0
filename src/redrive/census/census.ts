/**
 * What a source holds in all. Each source is listed without filter at its own slow interval, by whichever replica takes the job;
 * the result is kept for all. A full pass of a live drain that lists everything has counted the source already, and then nothing
 * is listed. It has not where it deleted what lay before one of its cursors: a service whose cursor is a position skips records
 * then, and no page tells which kind of cursor it is. A listing of its own costs what is left by then, once in an interval.
 *
 * What nears its expiry and is of no drain is copied here, because no pass sees it. What only drains select that want
 * no copies (`beforeExpiry: nothing`) is counted apart: somebody has decided that it may be lost.
 */
import type { DlqId, RawRecord } from "../../message/dead-letter.ts";
import type { Archive } from "../../ports/archive.ts";
import type { DrainConfig } from "../../ports/drains.ts";
import type { Census, Pass, Tally } from "../../ports/passes.ts";
import { earlier } from "../../ports/tally.ts";
import { countStrays } from "./census-strays.ts";
import {
  createDrainSelects,
  enteredAtOf,
  expiresBy,
  type DrainSelects,
  selectsEverything,
} from "../listing/drain-selects.ts";
import type { ListingSignals } from "../listing/list-with-retry.ts";
import { listToEnd, maxListingMs } from "../listing/list-to-end.ts";
import { serviceNow, type DrainRuntime, type SourceRuntime } from "../runtime.ts";
import { copyKeyOf } from "../page/copy-key.ts";
import { keepCopies } from "../page/keep-copies.ts";
import { withoutRedis } from "./without-redis.ts";

/** How near its expiry a record counts as near where no drain selects it: what `beforeExpiry.within` is unless set. */
const nearExpiryMs = 12 * 60 * 60_000;

export interface CensusOrder {
  readonly source: SourceRuntime;
  /** All drains of this source, of one document. */
  readonly drains: readonly Pick<DrainConfig, "select" | "dates" | "beforeExpiry">[];
  readonly documentHash: string;
  /** Null where the document names none. */
  readonly archive: Archive | null;
}

/** So often within its interval it is looked whether a census is due. */
export const censusLooks = 4;

/**
 * Counts the source, unless a count is young enough: it serves until the last look that still comes within its interval. That of a
 * listing is dated a moment after the look that took it, and serves until a little before the fourth look after that one. Two replicas with a
 * job each list once. Answers null where nothing is counted. Throws what stops it: RedriverErrors of the service, of Redis, or `stopped`.
 */
export async function takeCensus(order: CensusOrder, signals: ListingSignals): Promise<Census | null> {
  const { source, documentHash } = order;
  const known = await source.book.census();
  const { at: now } = await source.ledger.now();
  if (known !== null && known.documentHash === documentHash) {
    const served = known.counted === "pass" ? 1 - 1 / censusLooks : 1 - 1 / (2 * censusLooks);
    if (now - known.at < source.config.censusEveryMs * served) return null;
  }
  const startedAt = source.clock.monotonic();
  const census = await count(order, signals);
  await source.book.recordCensus(census);
  reportCensus(source, census, startedAt);
  return census;
}

/**
 * Counts the source and copies what nears its expiry while Redis cannot be relied on: each replica for itself, and nothing is noted. What
 * this process has copied before it does not copy again. Throws RedriverErrors of the service, or `stopped`.
 */
export async function takeCensusWithoutRedis(order: CensusOrder, signals: ListingSignals): Promise<void> {
  const { source } = order;
  const startedAt = source.clock.monotonic();
  reportCensus(source, await count({ ...order, source: withoutRedis(source) }, signals), startedAt);
}

function reportCensus({ clock, config, events }: SourceRuntime, census: Census, startedAt: number): void {
  const { depth, unselected, expiringUnarchived } = census;
  const durationMs = clock.monotonic() - startedAt;
  events.emit({ type: "census:taken", source: config.id, depth, unselected, expiringUnarchived, durationMs });
}

async function count(order: CensusOrder, signals: ListingSignals): Promise<Census> {
  const { source, documentHash, archive } = order;
  const { retentionMs } = source.config;
  const datesMean = await source.book.datesMean();
  const drains = order.drains.map((drain) => ({
    selects: createDrainSelects(drain, datesMean),
    withinMs: drain.beforeExpiry.withinMs,
    isKept: drain.beforeExpiry.then === "archive",
  }));
  let census: Census = { ...nothing, documentHash };
  const strays = countStrays();
  let isFirst = true;
  // One that has longer between two of them may list for longer, so that a source of millions can be counted.
  const inTime = { ...signals, maxListingMs: Math.max(maxListingMs, source.config.censusEveryMs) };
  const pace = createPace(source.clock, signals.stopping);
  for await (const page of listToEnd(source, { select: {} }, inTime)) {
    await pace(page.isLast);
    const now = serviceNow(source);
    if (page.passedOver !== null) {
      census = withPassedOver(census, datesMean === "created" ? null : page.passedOver, { now, retentionMs });
      continue;
    }
    const found = look(page.records, { drains, now, retentionMs });
    strays.add(found.unselected, source.lineageKeys());
    // Also what a drain selects: between its passes more time may lie than is left.
    await keepCopies(source, found.toKeep, { archive, drain: null, documentHash });
    const bare = found.nearExpiry.length === 0 ? [] : await source.copies.missing(found.nearExpiry);
    const accepted = bare.filter((dlqId) => found.accepted.has(dlqId)).length;
    const before: Census = isFirst ? { ...census, at: page.readAt } : census;
    isFirst = false;
    const oldestEnteredAt = earlier(before.oldestEnteredAt, found.oldestEnteredAt);
    census = {
      ...before,
      depth: before.depth + page.records.length,
      unselected: before.unselected + found.unselected.length,
      oldestUnselectedAt: earlier(before.oldestUnselectedAt, found.oldestUnselectedAt),
      oldestEnteredAt,
      earliestExpiryAt: toExpiry(oldestEnteredAt, retentionMs),
      expiringUnarchived: before.expiringUnarchived + bare.length - accepted + found.withoutId.bare,
      expiringAccepted: before.expiringAccepted + accepted + found.withoutId.accepted,
    };
  }
  return { ...census, strayComeBacks: strays.counted() };
}

/** A page that took this long waited for a pause of the service, or the service is slow. */
const slowPageMs = 1_000;
const pauseMs = 500;

/** From the first slow page on, one that counts leaves the calls of most of each second to those that act. */
function createPace({ monotonic, sleep }: SourceRuntime["clock"], stopping: AbortSignal) {
  let askedAt = monotonic();
  let isSlow = false;
  return async (isLast: boolean): Promise<void> => {
    isSlow ||= monotonic() - askedAt >= slowPageMs;
    // What stops the pause stops the listing as well, which says so.
    if (isSlow && !isLast) await sleep(pauseMs, stopping).catch(() => undefined);
    askedAt = monotonic();
  };
}

/** A record that cannot be read is there all the same, and what cannot be read cannot be copied. */
function withPassedOver(
  census: Census,
  enteredAt: number | null,
  { now, retentionMs }: Pick<Look, "now" | "retentionMs">,
): Census {
  const isNear = enteredAt !== null && enteredAt + retentionMs <= now + nearExpiryMs;
  const oldestEnteredAt = earlier(census.oldestEnteredAt, enteredAt);
  return {
    ...census,
    depth: census.depth + 1,
    oldestEnteredAt,
    earliestExpiryAt: toExpiry(oldestEnteredAt, retentionMs),
    expiringUnarchived: census.expiringUnarchived + (isNear ? 1 : 0),
  };
}

const nothing: Census = {
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

interface Look {
  readonly drains: readonly {
    readonly selects: DrainSelects;
    readonly withinMs: number;
    readonly isKept: boolean;
  }[];
  readonly now: number;
  readonly retentionMs: number;
}

function look(records: readonly RawRecord[], { drains, now, retentionMs }: Look) {
  const nearExpiry: DlqId[] = [];
  // Of these none can be told from another, so none is known to be copied.
  const withoutId = { bare: 0, accepted: 0 };
  const toKeep: RawRecord[] = [];
  const accepted = new Set<DlqId>();
  const unselected: RawRecord[] = [];
  let oldestUnselectedAt: number | null = null;
  let oldestEnteredAt: number | null = null;
  for (const record of records) {
    const enteredAt = enteredAtOf(record);
    oldestEnteredAt = earlier(oldestEnteredAt, enteredAt);
    const selecting = drains.filter(({ selects }) => selects(record, now));
    if (selecting.length === 0) {
      unselected.push(record);
      oldestUnselectedAt = earlier(oldestUnselectedAt, enteredAt);
    }
    const withinMs =
      selecting.length === 0 ? nearExpiryMs : Math.max(...selecting.map((drain) => drain.withinMs));
    if (!expiresBy(record, retentionMs, now + withinMs)) continue;
    const isKept = selecting.length === 0 || selecting.some((drain) => drain.isKept);
    const key = copyKeyOf(record);
    if (key === null) {
      withoutId[isKept ? "bare" : "accepted"] += 1;
      continue;
    }
    nearExpiry.push(key);
    if (isKept) toKeep.push(record);
    else accepted.add(key);
  }
  return { nearExpiry, withoutId, toKeep, accepted, unselected, oldestUnselectedAt, oldestEnteredAt };
}

function toExpiry(oldestEnteredAt: number | null, retentionMs: number): number | null {
  return oldestEnteredAt === null ? null : oldestEnteredAt + retentionMs;
}

/**
 * The census that a complete full pass of a live drain without selection amounts to; null where it amounts to none: it does not
 * list everything for certain, or it saw records near their expiry, or of an unknown age, that have to be asked for one by one.
 */
export function toPassCensus(
  { config, source, nearMs }: Pick<DrainRuntime, "config" | "source" | "nearMs">,
  pass: Pass,
  tally: Tally,
): Census | null {
  if (pass.kind !== "full" || pass.mode !== "live") return null;
  if (!selectsEverything(config) || tally.pagesBehindDeletes > 0) return null;
  const { parked } = tally.reasons;
  if (parked["no-dlq-id"] !== undefined || parked["malformed-record"] !== undefined) return null;
  const earliestExpiryAt = toExpiry(tally.oldestRecordAt, source.config.retentionMs);
  // It serves for a whole interval, so what becomes near within it is near already.
  const soonMs = nearMs + source.config.censusEveryMs;
  if (earliestExpiryAt !== null && earliestExpiryAt < serviceNow(source) + soonMs) return null;
  return {
    ...nothing,
    at: pass.startedAt,
    counted: "pass",
    depth: Math.max(0, tally.listed - tally.deleted),
    oldestEnteredAt: tally.oldestRecordAt,
    earliestExpiryAt,
    documentHash: pass.documentHash,
  };
}
