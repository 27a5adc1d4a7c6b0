import { horizonBehindMs, selectRange } from "./select-dates.ts";
import { knownOffsetMs } from "./service-clock-offset.ts";
import type { DrainRuntime } from "../runtime.ts";

export type FrozenRange = Awaited<ReturnType<typeof freezeRange>>;

/**
 * A plan follows a service's clock that is so far ahead of ours. So apply may publish records newer than the end of
 * any pass. If their delete fails, the next full pass takes them for gone. Their tombstones live for two full
 * passes and an hour (config/settings/ledger-limits.ts): within that time a pass reaches the record and deletes it
 * again.
 */
const maxAheadMs = 3_600_000;
/** A person waits for it. Who cannot reach the service is told within three seconds. */
const againAfterMs = [500];

/** The whole range of a drain, up to a horizon by the service's clock, as ages go: no watermark depends on a plan. */
export async function freezeRange(drain: DrainRuntime, signal: AbortSignal) {
  const { source, config } = drain;
  const offsetMs = await knownOffsetMs(drain, signal, againAfterMs);
  const now = source.clock.now();
  /** How much of the newest is skipped because the service's clock is too far ahead of ours. */
  const unseenMs = Math.max(0, Math.round(offsetMs - maxAheadMs));
  /** Unix ms by the service's clock: later records are skipped, with any dates of the drain. */
  const horizon = Math.floor(now + offsetMs - unseenMs) - horizonBehindMs;
  const { fullFrom, to } = selectRange(config.dates, now + offsetMs, horizon);
  // `serviceAheadMs`: to within a second.
  return { from: fullFrom, to, clock: { serviceAheadMs: Math.round(offsetMs), horizon, unseenMs } };
}
