import type { HoldReason } from "../../rules/decision.ts";
import type { DrainRuntime } from "../../runtime.ts";
import { isReconciling, type Candidate } from "../records.ts";

/**
 * Why a candidate cannot be sent now; null if it can. A service that refused everything still gets POSTs that
 * reconcile: past its horizon such a message could only be doubled or parked.
 */
export function whyNotNow(
  { config, source }: Pick<DrainRuntime, "config" | "source">,
  signal: AbortSignal,
  candidate: Candidate,
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
      return isAsked && isReconciling(candidate) ? null : "source-halted";
    }
  }
}
