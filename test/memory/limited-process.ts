import { readPeakMemory } from "../../dev/demo/daemon-process.ts";
import { startChild, type Child, type ChildOptions } from "../rig/child.ts";

export interface LimitedProcess extends Child {
  /** The most that was ever resident, in bytes, by what was last read of it. */
  peakBytes(): number;
}

const readEveryMs = 50;

/** A process whose peak is read until it has ended. */
export function startLimited(options: ChildOptions): LimitedProcess {
  const child = startChild(options);
  let peak = 0;
  const reading = setInterval(() => {
    peak = Math.max(peak, readPeakMemory(child.process.pid) ?? 0);
  }, readEveryMs);
  void child.ended.then(() => clearInterval(reading));
  return { ...child, peakBytes: () => peak };
}
