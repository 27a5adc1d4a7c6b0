import { defined } from "../message/defined.ts";
import { serviceNow } from "../contracts/service.ts";
import type { LaneWatch } from "../contracts/lanes.ts";
import type { SourceRuntime } from "../runtime.ts";
import { slowDownForWatch } from "../page/failed-again.ts";
import { toLaneComeBack } from "./come-back-from-record.ts";
import { comeBacksIn } from "./come-backs-in.ts";

/** The service's Date has whole seconds. Redis's clock may be off from ours by the length of an answer. */
const clockSlackMs = 5_000;
/** Messages that enter the DLQ so long after a step's watch show nothing about it, and need not be listed. */
const lateMs = 10 * 60_000;

interface Interval {
  readonly watches: LaneWatch[];
  readonly from: number;
  to: number;
}

/** Lists the watches of the steps. Only a listing that was read to its end proves silence. Throws as it does. */
export async function runListingChecks(source: SourceRuntime, signal: AbortSignal): Promise<void> {
  // Read first: a stop in between lists more than is needed, never less. The earlier clock, as in passes.
  const begunAt = Math.min(serviceNow(source), source.clock.now());
  const { watches, at } = await source.lanes.due();
  if (watches.length === 0) return;
  source.health.check();
  // Before the listing: what had ended by then is in it. One answer is good for all of them.
  const service = watches.some(({ asks }) => asks) ? await source.deliveryWatch.ask(signal) : undefined;
  // The later of both, and read last, for the same reason.
  const askedAt = Math.max(serviceNow(source), source.clock.now());
  for (const interval of toIntervals(watches)) {
    const fromDate = Math.floor(begunAt - (at - interval.from) - clockSlackMs);
    const toDate = interval.to < at ? Math.ceil(askedAt - (at - interval.to) + clockSlackMs) : undefined;
    const isLast = interval.watches.some(({ until }) => at >= until);
    const range = defined({ fromDate, toDate });
    const found = await comeBacksIn(source, range, isLast, signal, toLaneComeBack);
    if (found === null) continue;
    // Also of steps that need no check yet: too many come-backs now are too many at the end.
    await source.lanes.recordComeBacks(found);
    for (const watch of interval.watches) {
      const { lane, step, asks } = watch;
      const back = found.filter((one) => one.lane === lane && one.step === step);
      await Promise.all([
        source.lanes.checked({ lane, step }, at, back, asks === true ? service : undefined),
        slowDownForWatch(source, watch, back),
      ]);
    }
  }
}

/** Overlapping watches become one, so that nothing is listed twice. Gaps between watches are not listed. */
function toIntervals(watches: readonly LaneWatch[]): readonly Interval[] {
  const intervals: Interval[] = [];
  for (const watch of watches.toSorted((one, other) => one.firstSentAt - other.firstSentAt)) {
    const last = intervals.at(-1);
    const to = watch.until + lateMs;
    if (last === undefined || watch.firstSentAt > last.to) {
      intervals.push({ watches: [watch], from: watch.firstSentAt, to });
    } else {
      last.watches.push(watch);
      last.to = Math.max(last.to, to);
    }
  }
  return intervals;
}
