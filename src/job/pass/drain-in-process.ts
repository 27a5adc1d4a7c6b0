import { sleptFully } from "../contracts/clock.ts";
import { isRedriverError, RedriverError } from "../contracts/errors.ts";
import type { CloseVerdict, OpenVerdict, Window } from "../contracts/passes.ts";
import { addTallies, emptyTally, type Tally } from "../contracts/tally.ts";
import { runListingChecks } from "../lanes/listing-checks.ts";
import type { ListingSignals } from "../listing/list-page.ts";
import type { DrainRuntime } from "../runtime.ts";
import { openPass, type PassSettings } from "./open-pass.ts";
import { abandonWindow, workWindow } from "./work-window.ts";

type Verdict = Extract<CloseVerdict, { kind: "pass-closed" }>;

/** `taken-over`: another process has the pass, and goes on with it. */
type ClosedPass = { readonly kind: "closed"; readonly outcome: Verdict["outcome"] | "taken-over" } & Pick<
  Verdict,
  "tally" | "durationMs"
>;

export type PassInProcess = { readonly kind: "busy" } | ClosedPass;

/** If another process published the canaries, this one does not know when their watch ends. */
const checkEveryMs = 15_000;
/** Lanes shown behind the halted ones, last used first: watched canaries were published recently. */
const maxViews = 200;
const maxPauseMs = 60_000;

/** Until no lane holds messages that only wait for a watch. Answers all as one, and what the last one left. */
export async function drainInProcess(
  drain: DrainRuntime,
  settings: InProcessSettings,
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
    const { held } = latest.tally.reasons;
    // Only a daemon hears callbacks, so a wait for them might have no end.
    const asked = source.config.callbacks === undefined ? (held["still-under-way"] ?? 0) : 0;
    const watched = (held["lane-watched"] ?? 0) + asked;
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
  const acts = addTallies(before.tally, latest);
  const { republished, deduplicated, deleted, comeBacks, pages } = acts;
  const listed = Math.max(before.tally.listed, latest.listed);
  return { ...latest, listed, republished, deduplicated, deleted, comeBacks, pages };
}

export interface InProcessSettings extends PassSettings {
  readonly windowsAtOnce?: number;
}

/** One whole pass in this process. Throws what stops it, when all windows at work have ended. */
export async function runPassInProcess(
  drain: DrainRuntime,
  settings: InProcessSettings,
  signals: ListingSignals,
  onProgress: (tally: Tally) => void,
): Promise<PassInProcess> {
  const opened = await openWithRetry(drain, settings, signals);
  if (opened.kind === "busy") return { kind: "busy" };
  const { passId } = opened.pass;
  const owner = drain.source.identities.token();
  const { windowsAtOnce = 1 } = settings;
  const failure = new AbortController();
  const stopping = AbortSignal.any([signals.stopping, failure.signal]);
  const left: Window[] = [...opened.windows];
  const running = new Map<string, Promise<void>>();
  const soFar = new Map<string, Tally>();
  let done = emptyTally;
  let closed: ClosedPass | null = null;
  const work = async (window: Window): Promise<void> => {
    const { windowId } = window;
    const onPage = (tally: Tally): void => {
      soFar.set(windowId, tally);
      onProgress([...soFar.values()].reduce(addTallies, done));
    };
    try {
      const order = { passId, windowId, owner, lastTry: true, onPage, places: windowsAtOnce };
      const { split, verdict } = await workWindow(drain, { ...order, signal: signals.signal, stopping });
      done = addTallies(done, soFar.get(windowId) ?? emptyTally);
      left.splice(left.indexOf(window), 1, ...split);
      if (verdict.kind === "pass-closed") {
        const { outcome, tally, durationMs } = verdict;
        closed = { kind: "closed", outcome, tally, durationMs };
      }
      // Windows that lanes added to the pass in between.
      if (verdict.kind === "pass-open" && left.length === 0) left.push(...verdict.left);
    } catch (error) {
      failure.abort(error);
    } finally {
      soFar.delete(windowId);
      running.delete(windowId);
    }
  };
  do {
    const next = left.filter(({ windowId }) => !running.has(windowId));
    const places = failure.signal.aborted ? 0 : windowsAtOnce - running.size;
    for (const window of next.slice(0, places)) running.set(window.windowId, work(window));
    await Promise.race(running.values());
  } while (running.size > 0 || (left.length > 0 && !failure.signal.aborted));
  if (failure.signal.aborted) {
    // No other process knows these windows. Left open, they would delay the next pass.
    for (const { windowId } of left) {
      await abandonWindow(drain, { passId, windowId, owner }).catch(() => undefined);
    }
    throw failure.signal.reason;
  }
  // Without a verdict a daemon has taken the windows, or closed the row because it took this pass for abandoned.
  return closed ?? { kind: "closed", outcome: "taken-over", tally: done, durationMs: 0 };
}

async function openWithRetry(
  drain: DrainRuntime,
  settings: PassSettings,
  { signal, stopping }: ListingSignals,
): Promise<OpenVerdict> {
  const { clock } = drain.source;
  const stop = AbortSignal.any([signal, stopping]);
  for (;;) {
    try {
      return await openPass(drain, settings, signal);
    } catch (error) {
      if (!isRedriverError(error) || error.disposition !== "wait") throw error;
      const waitMs = (error.retryAt ?? 0) - clock.now();
      if (waitMs > maxPauseMs) throw error;
      if (await sleptFully(clock, Math.max(waitMs, 100), stop)) continue;
      throw new RedriverError("stopped", "stopped before the pass was opened", { cause: stop.reason });
    }
  }
}
