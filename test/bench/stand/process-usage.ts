import { readFileSync } from "node:fs";

const ticksPerSecond = 100;

/** CPU that a process has used, user and system, in ms. Linux counts it in steps of 10 ms. */
export function readCpuMs(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is a name in brackets, with whatever characters.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return ((Number(fields[11]) + Number(fields[12])) * 1_000) / ticksPerSecond;
  } catch {
    return Number.NaN;
  }
}
