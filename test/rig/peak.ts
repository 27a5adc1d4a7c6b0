import { readPeakMemory } from "../../dev/demo/daemon-process.ts";
import type { Child } from "./child.ts";

const readEveryMs = 50;

/** Reads the most that was ever resident of a process until it has ended: answers what was last read, in bytes. */
export function watchPeak({ process: { pid }, ended }: Child): () => number {
  let peak = 0;
  const reading = setInterval(() => {
    peak = Math.max(peak, readPeakMemory(pid) ?? 0);
  }, readEveryMs);
  void ended.then(() => clearInterval(reading));
  return () => peak;
}
