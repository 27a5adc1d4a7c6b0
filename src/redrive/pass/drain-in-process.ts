import { sleptFully } from "../../ports/clock.ts";
import type { Tally, OpenVerdict, Window } from "../../ports/passes.ts";
import { runListingChecks } from "../lanes/listing-checks.ts";
import type { ListingSignals } from "../listing/list-page.ts";
import { type PassSettings, openPass } from "./open-pass.ts";
import type { DrainRuntime } from "../runtime.ts";
import { isRedriverError } from "../../ports/errors.ts";
import { abandonWindows, workWindow } from "./work-window.ts";
import { addTallies, emptyTally } from "../../ports/tally.ts";

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

export type PassInProcess =
  | { readonly kind: "busy" }
  | {
      readonly kind: "closed";
      readonly outcome: "complete" | "partial";
      readonly tally: Tally;
      readonly durationMs: number;
    };

/** A source pause up to this long is waited for. */
const maxPauseMs = 60_000;

async function openWithRetry(
  drain: DrainRuntime,
  settings: PassSettings,
  { signal, stopping }: ListingSignals,
): Promise<OpenVerdict> {
  for (;;) {
    try {
      return await openPass(drain, settings, signal);
    } catch (error) {
      if (!isRedriverError(error) || error.disposition !== "wait") throw error;
      const waitMs = (error.retryAt ?? 0) - drain.source.clock.now();
      if (waitMs > maxPauseMs) throw error;
      await drain.source.clock.sleep(Math.max(waitMs, 100), AbortSignal.any([signal, stopping]));
    }
  }
}

/** One whole pass in this process, its windows one after the other. Throws what stops it. */
export async function runPassInProcess(
  drain: DrainRuntime,
  settings: PassSettings,
  signals: ListingSignals,
  onProgress: (tally: Tally) => void,
): Promise<PassInProcess> {
  const opened = await openWithRetry(drain, settings, signals);
  if (opened.kind === "busy") return { kind: "busy" };
  const { passId } = opened.pass;
  const waiting: Window[] = [...opened.windows];
  let done = emptyTally;
  for (let window = waiting[0]; window !== undefined; window = waiting[0]) {
    let here = emptyTally;
    const work = {
      passId,
      windowId: window.windowId,
      ...signals,
      lastTry: true,
      onPage: (tally: Tally) => {
        here = tally;
        onProgress(addTallies(done, here));
      },
    };
    try {
      const { split, verdict } = await workWindow(drain, work);
      if (verdict.kind === "pass-closed") {
        const { outcome, tally, durationMs } = verdict;
        return { kind: "closed", outcome, tally, durationMs };
      }
      done = addTallies(done, here);
      waiting.splice(0, 1, ...split);
      // Windows that lanes added to the pass in between.
      if (waiting.length === 0 && verdict.kind === "pass-open") waiting.push(...verdict.left);
    } catch (error) {
      // No other process knows these windows. Left open, they would delay the next pass.
      await abandonWindows(
        drain,
        passId,
        waiting.map(({ windowId }) => windowId),
      ).catch(() => undefined);
      throw error;
    }
  }
  // Another process closed the row, because it took this pass for abandoned.
  return { kind: "closed", outcome: "partial", tally: done, durationMs: 0 };
}
