import type { HoldReason } from "../../rules/decision.ts";
import type { DrainRuntime } from "../../runtime.ts";
import { hold } from "../fate.ts";
import type { Gate } from "./gate.ts";
import { isReconciling, type Letter } from "../letter.ts";

/** Holds letters while the drain is paused, the process stops, or the source is halted or waits. Known here. */
export const sourceHealth: Gate = {
  name: "source-health",
  letsReconcilingPass: false,
  isAskedAgain: () => true,
  ask(drain, letters, signal) {
    for (const letter of letters) {
      const reason = whyNotNow(drain, letter, signal);
      if (reason !== null) hold(letter, reason);
    }
    return Promise.resolve();
  },
};

/**
 * A service that refused everything still gets POSTs that reconcile: past its horizon such a message could only be
 * doubled or parked.
 */
function whyNotNow(
  { config, source }: Pick<DrainRuntime, "config" | "source">,
  letter: Letter,
  signal: AbortSignal,
): HoldReason | null {
  if (config.paused) return "paused";
  if (signal.aborted) return "stopping";
  const now = source.health.current("batch");
  switch (now.state) {
    case "usable":
      return null;
    case "waiting":
      return "not-sent";
    case "halted": {
      const isAsked = now.code === "service-refuses-everything" && now.callClass === "batch";
      return isAsked && isReconciling(letter) ? null : "source-halted";
    }
  }
}
