/**
 * Why a letter does not go now. Each gate gives what waits a fate, and its reason.
 *
 *   guard ─► pause (by a person) ─► lane ─► source health, `paused: true` of the document ─► capacity
 *
 * They are asked for the due letters of a page (gates/rounds.ts), and once more before a batch is begun, each for those
 * that passed it too long ago. An answer of Redis is old after half a second, and a lane's after a part of its watch.
 *
 * `begin` refuses too: an old page, a closed settle gate, a full ledger, a letter in another worker's hands.
 *
 * A letter that reconciles an earlier POST passes guard, pause and lane: held past its horizon, it could only be
 * published again as a double. It waits for rates, the drain's own pause and a halted source alone.
 */
import type { DrainRuntime } from "../runtime.ts";
import { admission } from "../lanes/admit.ts";
import { capacity } from "./gates/capacity.ts";
import type { Gate } from "./gates/gate.ts";
import { guard } from "./gates/guard.ts";
import { pause } from "./gates/pause.ts";
import { sourceHealth } from "./gates/source-health.ts";
import { isReconciling, type Letter } from "./letter.ts";

const gates: readonly Gate[] = [guard, pause, admission, sourceHealth, capacity];

/** Asks all gates in turn for letters without a fate. Answers those that may be published now. */
export async function askGates(
  drain: DrainRuntime,
  letters: readonly Letter[],
  signal: AbortSignal,
): Promise<readonly Letter[]> {
  const now = drain.source.clock.monotonic();
  const fresh = letters.some(isReconciling) ? letters.filter((one) => !isReconciling(one)) : letters;
  for (const gate of gates) {
    const open = toFree(gate.letsReconcilingPass ? fresh : letters);
    if (open.length === 0) continue;
    const asking = gate.asking(drain, open, now);
    if (asking.length > 0) await gate.ask(drain, asking, signal);
  }
  return toFree(letters);
}

/** Those that nothing holds: mostly all, and then nothing is copied. */
function toFree(letters: readonly Letter[]): readonly Letter[] {
  for (const one of letters) {
    if (one.fate !== null || one.wait !== null) {
      return letters.filter(({ fate, wait }) => fate === null && wait === null);
    }
  }
  return letters;
}
