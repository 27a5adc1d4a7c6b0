import type { HoldReason } from "../../rules/decision.ts";
import type { DrainRuntime } from "../../runtime.ts";
import { hold } from "../fate.ts";
import type { Gate } from "./gate.ts";
import { isReconciling } from "../letter.ts";

/** Holds letters while the drain is paused, the process stops, or the source is halted or waits. Known here. */
export const sourceHealth: Gate = {
  name: "source-health",
  letsReconcilingPass: false,
  asking: (_, letters) => letters,
  ask(drain, letters, signal) {
    const why = whyNotNow(drain, signal);
    if (why === null) return Promise.resolve();
    for (const letter of letters) {
      if (!(why.sparesReconciling && isReconciling(letter))) hold(letter, why.reason);
    }
    return Promise.resolve();
  },
};

interface Why {
  readonly reason: HoldReason;
  readonly sparesReconciling: boolean;
}

/**
 * A service that refused everything still gets POSTs that reconcile: past its horizon such a message could only be
 * doubled or parked.
 */
function whyNotNow(
  { config, source }: Pick<DrainRuntime, "config" | "source">,
  signal: AbortSignal,
): Why | null {
  if (config.paused) return ofAll("paused");
  if (signal.aborted) return ofAll("stopping");
  const now = source.health.current("batch");
  switch (now.state) {
    case "usable":
      return null;
    case "waiting":
      return ofAll("not-sent");
    case "halted": {
      const sparesReconciling = now.code === "service-refuses-everything" && now.callClass === "batch";
      return { reason: "source-halted", sparesReconciling };
    }
  }
}

function ofAll(reason: HoldReason): Why {
  return { reason, sparesReconciling: false };
}
