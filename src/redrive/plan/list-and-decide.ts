/**
 * Reads all records that a drain selects and decides each as a pass would, through the same stages. Changes
 * nothing: no pass is opened, and nothing is begun, parked or deleted. The ledger is asked by `peek`, which
 * records nothing.
 */
import type { UnusableRecord } from "../../message/dead-letter.ts";
import type { ListingSignals } from "../listing/list-page.ts";
import { listToEnd } from "../listing/list-to-end.ts";
import { horizonBehindMs, selectRange } from "../pass/select-dates.ts";
import { knownOffsetMs } from "../pass/open-pass.ts";
import type { DrainRuntime } from "../runtime.ts";
import { collect } from "../page/collect.ts";
import { decideOne, type DecidedOne } from "../page/decide-and-prepare.ts";
import { asKnown } from "../page/look-up.ts";
import { idsOf } from "../page/records.ts";

/** The listed range: inclusive, Unix ms, as the service's dates mean it. */
export interface SurveyRange {
  readonly from: number;
  readonly to: number;
  /** Records that entered later are skipped, also if the dates mean creation; absent: no horizon. */
  readonly clock?: { readonly horizon: number };
}

export type FrozenRange = Awaited<ReturnType<typeof freezeRange>>;
export type PlanClock = FrozenRange["clock"];

/** `candidate`: the message to publish; null unless it is due. */
export type SurveyedRecord = DecidedOne;

export interface SurveyPage {
  readonly records: readonly SurveyedRecord[];
  readonly unusable: readonly UnusableRecord[];
  /** Redis time from before the page was asked for. */
  readonly readAt: number;
  readonly isLast: boolean;
}

/**
 * A plan follows a service's clock that is up to this far ahead of ours. So apply may publish records newer
 * than the end of any pass, which goes by the earlier clock. If their delete fails, the next full pass does
 * not list them and takes them for gone. Their tombstones live for two full passes and an hour
 * (config/settings/ledger-limits.ts). Within that time a pass reaches the record and deletes it again.
 */
const maxAheadMs = 3_600_000;

/**
 * The whole range of a drain, up to a horizon that is fixed now. It goes by the service's clock, as ages do.
 * A pass goes by the earlier of both clocks, because its watermark depends on it; no watermark depends on a
 * plan. Throws if the source may not be asked.
 */
export async function freezeRange(drain: DrainRuntime, signal: AbortSignal) {
  const { source, config } = drain;
  source.health.check();
  const offsetMs = await knownOffsetMs(drain, signal);
  const now = source.clock.now();
  /** How much of the newest is skipped because the service's clock is too far ahead of ours. */
  const unseenMs = Math.max(0, Math.round(offsetMs - maxAheadMs));
  /** Unix ms by the service's clock: later records are skipped, with any dates of the drain. */
  const horizon = Math.floor(now + offsetMs - unseenMs) - horizonBehindMs;
  const { fullFrom, to } = selectRange(config.dates, now + offsetMs, horizon);
  // `serviceAheadMs`: to within a second.
  return { from: fullFrom, to, clock: { serviceAheadMs: Math.round(offsetMs), horizon, unseenMs } };
}

/**
 * Page by page, in the service's order. Throws a RedriverError of the service or the ledger, or `stopped`.
 */
export async function* survey(
  drain: DrainRuntime,
  range: SurveyRange,
  signals: ListingSignals,
): AsyncGenerator<SurveyPage, void, undefined> {
  const { source, config } = drain;
  const horizon = range.clock?.horizon ?? Infinity;
  const query = {
    select: config.select,
    ...(range.from > 0 ? { fromDate: range.from } : {}),
    toDate: range.to,
  };
  // A person waits for it and can stop it.
  const inTime = { ...signals, maxListingMs: Infinity };
  for await (const { records, readAt, isLast } of listToEnd(source, query, inTime)) {
    const { found, unusable } = collect(records, source.lineageKeys());
    // If the dates mean creation, or their meaning is not known, records that have just failed are listed
    // too.
    const within = found.filter(({ letter }) => letter.enteredAt <= horizon);
    yield { records: await decideAll(drain, within), unusable, readAt, isLast };
  }
}

/** Decides these records by the ledger as it is now. At most 100. */
async function decideAll(
  drain: DrainRuntime,
  found: ReturnType<typeof collect>["found"],
): Promise<readonly SurveyedRecord[]> {
  if (found.length === 0) return [];
  const { ledger } = drain.source;
  const known = asKnown(found, await ledger.peek(idsOf(found)), ledger.limits);
  return known.map((record) => decideOne(drain, record));
}
