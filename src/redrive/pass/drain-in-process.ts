import { sleptFully } from "../../ports/clock.ts";
import type { Tally } from "../../ports/passes.ts";
import { runListingChecks } from "../lanes/listing-checks.ts";
import type { ListingSignals } from "../listing/list-with-retry.ts";
import type { PassSettings } from "./open-pass.ts";
import { runPassInProcess, type PassInProcess } from "./pass-in-process.ts";
import type { DrainRuntime } from "../runtime.ts";

/** If another process published the canaries, this one does not know when their watch ends. */
const checkEveryMs = 15_000;
/** Lanes shown behind the halted ones, last used first: watched canaries were published recently. */
const maxViews = 200;

/**
 * Runs passes in this process, one after the other, until no lane holds messages that only wait for a watch to end. So a person who
 * runs `drain` waits for canaries as the daemon does. Answers all passes as one: the sum of their work, and what the last one left.
 */
export async function drainInProcess(
  drain: DrainRuntime,
  settings: PassSettings,
  signals: ListingSignals,
  onProgress: (tally: Tally) => void,
  /** Called before each wait, with the number of waiting records and the time to the next listing check. */
  onWait: (records: number, waitMs: number) => void,
): Promise<PassInProcess> {
  const { source, config } = drain;
  const hasLanes = config.lane !== undefined && config.mode === "live";
  let before: Extract<PassInProcess, { kind: "closed" }> | null = null;
  for (;;) {
    if (hasLanes) await runListingChecks(source, signals.signal);
    const sofar: Tally | null = before?.tally ?? null;
    const latest = await runPassInProcess(drain, settings, signals, (tally) =>
      onProgress(sofar === null ? tally : inAll(sofar, tally)),
    );
    if (latest.kind === "busy") return before ?? latest;
    const whole: Extract<PassInProcess, { kind: "closed" }> =
      before === null
        ? latest
        : {
            ...latest,
            tally: inAll(before.tally, latest.tally),
            durationMs: before.durationMs + latest.durationMs,
          };
    const watched = latest.tally.reasons.held["lane-watched"] ?? 0;
    if (!hasLanes || watched === 0 || latest.outcome !== "complete") return whole;
    if (!(await isWatched(drain))) return whole;
    const nextMs = Math.max(0, Math.min(...source.lanes.takeNext()) - source.clock.now());
    const waitMs = Math.min(nextMs, checkEveryMs);
    onWait(watched, waitMs);
    const stop = AbortSignal.any([signals.signal, signals.stopping]);
    if (!(await sleptFully(source.clock, waitMs, stop))) return whole;
    before = whole;
  }
}

/** True if canaries are out that a watch will judge. Without them a pause or ceiling holds the rest, and waiting does not help. */
async function isWatched({ config, source }: DrainRuntime): Promise<boolean> {
  const { counts } = await source.lanes.views(0);
  const { lanes } = await source.lanes.views(counts.halted + maxViews);
  return lanes.some(({ drain, state, sent }) => drain === config.name && state !== "halted" && sent > 0);
}

/** Sums the acts of two passes. The first listing shows what there was, the latest pass what is left. */
function inAll(before: Tally, latest: Tally): Tally {
  return {
    ...latest,
    listed: Math.max(before.listed, latest.listed),
    republished: before.republished + latest.republished,
    deduplicated: before.deduplicated + latest.deduplicated,
    deleted: before.deleted + latest.deleted,
    comeBacks: before.comeBacks + latest.comeBacks,
    pages: before.pages + latest.pages,
  };
}
