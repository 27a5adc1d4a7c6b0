/**
 * Reads what a drain selects and decides each record as a pass would, through the same stages, and changes nothing: no pass
 * is opened, nothing is begun, parked or deleted, and the ledger is asked by `peek`, which remembers nothing.
 */
import type { RawRecord, UnusableRecord } from "../../message/dead-letter.ts";
import type { ListingSignals } from "../listing/list-with-retry.ts";
import { listToEnd } from "../listing/list-to-end.ts";
import { horizonBehindMs } from "../pass/select-dates.ts";
import { knownOffsetMs } from "../pass/open-pass.ts";
import type { DrainRuntime } from "../runtime.ts";
import { selectRange } from "../pass/select-dates.ts";
import { collect } from "../page/collect.ts";
import { decideOne, type DecidedOne } from "../page/decide-one.ts";
import { mayBeForgotten } from "../page/ledger-loss.ts";
import { idsOf } from "../page/records.ts";

/** What is listed: inclusive, Unix ms, as the service's dates mean it. */
export interface SurveyRange {
  readonly from: number;
  readonly to: number;
  /** Nothing that entered after this horizon is looked at, also where the dates mean creation; absent: there is none. */
  readonly clock?: { readonly horizon: number };
}

/** What clocks a plan goes by. */
export interface PlanClock {
  /** The service's clock, by which ages go, minus this machine's, in ms to within a second; below 0 when it is behind. */
  readonly serviceAheadMs: number;
  /** Unix ms by the service's clock: nothing that entered later is looked at, whatever the drain's own dates say. */
  readonly horizon: number;
  /** What is beyond the horizon by the service's clock because that is too far ahead of ours; 0 when it is not. */
  readonly unseenMs: number;
}

export interface FrozenRange extends SurveyRange {
  readonly clock: PlanClock;
}

/** `candidate`: what it would be published as; null unless it is due. */
export type SurveyedRecord = DecidedOne;

export interface SurveyPage {
  readonly records: readonly SurveyedRecord[];
  readonly unusable: readonly UnusableRecord[];
  /** Redis time from before the page was asked for. */
  readonly readAt: number;
  readonly isLast: boolean;
}

/**
 * A service's clock is followed so far ahead of ours. What is published from beyond the horizon of passes and then missed by
 * a full pass becomes a tombstone too early; a tombstone lives for two full passes and an hour (config/settings/ledger-limits.ts),
 * and within these the horizon of passes gets there, lists the record and deletes it again.
 */
const mostAheadMs = 3_600_000;

/**
 * The whole range of a drain, up to a horizon that is fixed now. It goes by the service's clock, as ages do: no watermark
 * depends on it, as one does in a pass, which goes by the earlier of both. Throws what keeps the source from being asked.
 */
export async function freezeRange(drain: DrainRuntime, signal: AbortSignal): Promise<FrozenRange> {
  const { source, config } = drain;
  source.health.check();
  const offsetMs = await knownOffsetMs(drain, signal);
  const now = source.clock.now();
  const unseenMs = Math.max(0, Math.round(offsetMs - mostAheadMs));
  const horizon = Math.floor(now + offsetMs - unseenMs) - horizonBehindMs;
  const { fullFrom, to } = selectRange(config.dates, now + offsetMs, horizon);
  return { from: fullFrom, to, clock: { serviceAheadMs: Math.round(offsetMs), horizon, unseenMs } };
}

/** Page by page, in the service's order. Throws a RedriverError of the service or the ledger, or `stopped`. */
export async function* survey(
  drain: DrainRuntime,
  range: SurveyRange,
  signals: ListingSignals,
): AsyncGenerator<SurveyPage, void, undefined> {
  const { source, config } = drain;
  const query = {
    select: config.select,
    ...(range.from > 0 ? { fromDate: range.from } : {}),
    toDate: range.to,
  };
  // A person waits for it, and can end it.
  for await (const page of listToEnd(source, query, { ...signals, maxListingMs: Infinity })) {
    yield {
      ...(await decidePage(drain, page.records, range.clock?.horizon ?? Infinity)),
      readAt: page.readAt,
      isLast: page.isLast,
    };
  }
}

/** Decides these records by what the ledger says just now. At most 100. */
async function decidePage(
  drain: DrainRuntime,
  records: readonly RawRecord[],
  horizon: number,
): Promise<Pick<SurveyPage, "records" | "unusable">> {
  const { source } = drain;
  const { found, unusable } = collect(records, source.lineageKeys());
  // Where the dates mean creation, or their meaning is not known, what has only just failed is listed too.
  const within = found.filter(({ letter }) => letter.enteredAt <= horizon);
  if (within.length === 0) return { records: [], unusable };
  const { views, ...stamp } = await source.ledger.peek(idsOf(within));
  return {
    unusable,
    records: within.map((record, index) => {
      const view = views[index] ?? { state: "absent" };
      return decideOne(drain, {
        ...record,
        view,
        viewedAt: stamp.at,
        mayBeForgotten: mayBeForgotten(record.letter, view, stamp, source.ledger.limits),
        isNewComeBack: false,
      });
    }),
  };
}
