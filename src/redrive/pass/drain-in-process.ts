import type { Tally } from "../../ports/passes.ts";
import { runListingChecks } from "../lanes/listing-checks.ts";
import type { ListingSignals } from "../listing/list-with-retry.ts";
import type { PassSettings } from "./open-pass.ts";
import { runPassInProcess, type PassInProcess } from "./pass-in-process.ts";
import type { DrainRuntime } from "../runtime.ts";

/** Where another process published what is watched, it is not known here when its watch is over. */
const lookEveryMs = 15_000;
/** Of those that are not halted, which are told behind these; the last used first, because what is watched was published lately. */
const maxViews = 200;

/**
 * Passes in this process, one after the other, until lanes hold nothing that only has to be watched for a while: a person who drains by
 * hand waits for canaries as the daemon does. Answers them as one pass: what was done in all, and what the last one left.
 */
export async function drainInProcess(
  drain: DrainRuntime,
  settings: PassSettings,
  signals: ListingSignals,
  onProgress: (tally: Tally) => void,
  /** Told before each wait: how many records wait for what was sent, and how long until the next look. */
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
    const waitMs = Math.min(nextMs, lookEveryMs);
    onWait(watched, waitMs);
    try {
      await source.clock.sleep(waitMs, AbortSignal.any([signals.signal, signals.stopping]));
    } catch {
      return whole;
    }
    before = whole;
  }
}

/** Whether a step is out that a watch will judge: a pause, or a ceiling, holds what lanes have room for, and no wait helps that. */
async function isWatched({ config, source }: DrainRuntime): Promise<boolean> {
  const { counts } = await source.lanes.views(0);
  const { lanes } = await source.lanes.views(counts.halted + maxViews);
  return lanes.some(({ drain, state, sent }) => drain === config.name && state !== "halted" && sent > 0);
}

/** Acts add up; what was listed first is what there was, and what the latest left is what is left. */
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
