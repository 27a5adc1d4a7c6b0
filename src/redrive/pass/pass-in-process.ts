import { isRedriverError } from "../../ports/errors.ts";
import type { OpenVerdict, Tally, Window } from "../../ports/passes.ts";
import type { ListingSignals } from "../listing/list-with-retry.ts";
import { abandonWindows, workWindow } from "./work-window.ts";
import { openPass, type PassSettings } from "./open-pass.ts";
import type { DrainRuntime } from "../runtime.ts";
import { addTallies, emptyTally } from "../../ports/tally.ts";

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
