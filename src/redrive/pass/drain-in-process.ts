import { sleptFully } from "../../ports/clock.ts";
import { isRedriverError } from "../../ports/errors.ts";
import type { OpenVerdict, Window } from "../../ports/passes.ts";
import { addTallies, emptyTally, type Tally } from "../../ports/tally.ts";
import { runListingChecks } from "../lanes/listing-checks.ts";
import type { ListingSignals } from "../listing/list-page.ts";
import type { DrainRuntime } from "../runtime.ts";
import { openPass, type PassSettings } from "./open-pass.ts";
import { workWindow } from "./work-window.ts";
import { abandonWindows } from "./end-window.ts";

interface ClosedPass {
  readonly kind: "closed";
  readonly outcome: "complete" | "partial";
  readonly tally: Tally;
  readonly durationMs: number;
}

/** `busy`: another pass of the drain is open. */
export type PassInProcess = { readonly kind: "busy" } | ClosedPass;

/** If another process published the canaries, this one does not know when their watch ends. */
const checkEveryMs = 15_000;
/** Lanes shown behind the halted ones, last used first: watched canaries were published recently. */
const maxViews = 200;
/** A source pause up to this long is waited for. */
const maxPauseMs = 60_000;

/**
 * Runs passes in this process, one after the other, until no lane holds messages that only wait for a watch
 * to end. So a person who runs `drain` waits for canaries as the daemon does. Answers all passes as one: the
 * sum of their work, and what the last one left. `onWait` is called before each wait, with the number of
 * waiting records and the time to the next listing check.
 */
export async function drainInProcess(
  drain: DrainRuntime,
  settings: PassSettings,
  signals: ListingSignals,
  onProgress: (tally: Tally) => void,
  onWait: (records: number, waitMs: number) => void,
): Promise<PassInProcess> {
  const { source, config } = drain;
  const hasLanes = config.lane !== undefined && config.mode === "live";
  let before: ClosedPass | null = null;
  for (;;) {
    if (hasLanes) await runListingChecks(source, signals.signal);
    const sofar: ClosedPass | null = before;
    const latest = await runPassInProcess(drain, settings, signals, (tally) =>
      onProgress(inAll(sofar, tally)),
    );
    if (latest.kind === "busy") return before ?? latest;
    before = asOne(before, latest);
    const watched = latest.tally.reasons.held["lane-watched"] ?? 0;
    if (!hasLanes || watched === 0 || latest.outcome !== "complete") return before;
    if (!(await isWatched(drain))) return before;
    const nextMs = Math.max(0, Math.min(...source.lanes.takeNext()) - source.clock.now());
    const waitMs = Math.min(nextMs, checkEveryMs);
    onWait(watched, waitMs);
    const stop = AbortSignal.any([signals.signal, signals.stopping]);
    if (!(await sleptFully(source.clock, waitMs, stop))) return before;
  }
}

/** True if a watch will judge canaries. Otherwise a pause or ceiling holds the rest: waiting is no help. */
async function isWatched({ config, source }: DrainRuntime): Promise<boolean> {
  const { counts } = await source.lanes.views(0);
  const { lanes } = await source.lanes.views(counts.halted + maxViews);
  return lanes.some(({ drain, state, sent }) => drain === config.name && state !== "halted" && sent > 0);
}

function asOne(before: ClosedPass | null, latest: ClosedPass): ClosedPass {
  const durationMs = (before?.durationMs ?? 0) + latest.durationMs;
  return { ...latest, tally: inAll(before, latest.tally), durationMs };
}

/** Sums the acts of two passes. The first listing shows what there was, the latest pass what is left. */
function inAll(before: ClosedPass | null, latest: Tally): Tally {
  if (before === null) return latest;
  const { tally } = before;
  return {
    ...latest,
    listed: Math.max(tally.listed, latest.listed),
    republished: tally.republished + latest.republished,
    deduplicated: tally.deduplicated + latest.deduplicated,
    deleted: tally.deleted + latest.deleted,
    comeBacks: tally.comeBacks + latest.comeBacks,
    pages: tally.pages + latest.pages,
  };
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
    const { windowId } = window;
    const onPage = (tally: Tally): void => {
      here = tally;
      onProgress(addTallies(done, here));
    };
    try {
      const work = { passId, windowId, ...signals, lastTry: true, onPage };
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
      const ids = waiting.map((one) => one.windowId);
      await abandonWindows(drain, passId, ids).catch(() => undefined);
      throw error;
    }
  }
  // Another process closed the row, because it took this pass for abandoned.
  return { kind: "closed", outcome: "partial", tally: done, durationMs: 0 };
}

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
