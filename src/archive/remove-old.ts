import path from "node:path";
import type { Disk } from "./disk.ts";
import { parseFileName } from "./file-name.ts";

/** A probe lives for the time of one check; an older one was left by a process that died. */
const forgottenProbeMs = 3_600_000;

/**
 * Removes files of the archive's own naming whose newest change and time of opening are both before `now - keepMs`, except `current`.
 * `now`: Unix ms, the earliest of all clocks that are known.
 * Anything else in the directory is left alone. `tell` hears of each file that cannot be removed.
 */
export async function removeOld(
  disk: Disk,
  dir: string,
  {
    now,
    keepMs,
    current,
  }: { readonly now: number; readonly keepMs: number; readonly current: string | null },
  tell: (problem: unknown) => void,
): Promise<void> {
  for (const { name, changedAt } of await disk.list(dir)) {
    const own = parseFileName(name);
    if (own === null || name === current) continue;
    const age = now - Math.max(own.openedAt, changedAt);
    if (age <= (own.kind === "probe" ? forgottenProbeMs : keepMs)) continue;
    try {
      await disk.remove(path.join(dir, name));
    } catch (error) {
      tell(error);
    }
  }
}
