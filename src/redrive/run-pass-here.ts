import type { Tally, Window } from "../ports/passes.ts";
import { openPass, workWindow, type PassSettings } from "./run-pass.ts";
import type { DrainRuntime } from "./runtime.ts";
import { addTallies, emptyTally } from "../ports/tally.ts";

export type PassHere =
  | { readonly kind: "busy" }
  | {
      readonly kind: "closed";
      readonly outcome: "complete" | "partial";
      readonly tally: Tally;
      readonly durationMs: number;
    };

/** One whole pass in this process, its windows one after the other. Throws what stops it. */
export async function runPassHere(
  drain: DrainRuntime,
  settings: PassSettings,
  signals: { readonly signal: AbortSignal; readonly stopping: AbortSignal },
  onProgress: (tally: Tally) => void,
): Promise<PassHere> {
  const opened = await openPass(drain, settings, signals.signal);
  if (opened.kind === "busy") return { kind: "busy" };
  const { passId } = opened.pass;
  const waiting: Window[] = [...opened.windows];
  let done = emptyTally;
  for (let window = waiting.shift(); window !== undefined; window = waiting.shift()) {
    let here = emptyTally;
    const { split, verdict } = await workWindow(drain, {
      passId,
      windowId: window.windowId,
      ...signals,
      lastTry: true,
      onPage: (tally) => {
        here = tally;
        onProgress(addTallies(done, here));
      },
    });
    done = addTallies(done, here);
    waiting.unshift(...split);
    if (verdict.kind === "pass-closed") {
      const { outcome, tally, durationMs } = verdict;
      return { kind: "closed", outcome, tally, durationMs };
    }
  }
  // The row was closed by somebody else, who took this pass for abandoned.
  return { kind: "closed", outcome: "partial", tally: done, durationMs: 0 };
}
