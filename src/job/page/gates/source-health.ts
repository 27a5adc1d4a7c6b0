import type { Health } from "../../source/source-health.ts";
import { hold } from "../fate.ts";
import type { Gate } from "./gate.ts";
import { isReconciling } from "../letter.ts";

const reasonOf = { usable: null, waiting: "not-sent", halted: "source-halted" } as const;

export const sourceHealth: Gate = {
  letsReconcilingPass: false,
  asking: (_, letters) => letters,
  async ask({ config, source }, letters, signal) {
    const now = (): Health => source.health.current("batch");
    const reason = config.paused ? "paused" : signal.aborted ? "stopping" : reasonOf[now().state];
    if (reason === null) return;
    const sparesReconciling = reason === "source-halted" && refusesEverything(now());
    for (const letter of letters) if (!sparesReconciling || !isReconciling(letter)) hold(letter, reason);
  },
};

/** It still gets what reconciles: past its horizon that is only doubled or parked. */
function refusesEverything(now: Health): boolean {
  return now.state === "halted" && now.code === "service-refuses-everything" && now.callClass === "batch";
}
