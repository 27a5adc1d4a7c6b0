import path from "node:path";
import type { Disk } from "./disk.ts";
import { parseOpenedAt } from "./file-name.ts";

/**
 * Removes files of the archive's own naming if their newest change and time of opening are both before `now -
 * keepMs`, except `current`. `now`: Unix ms, the earliest of all known clocks. Anything else in the directory
 * stays. `report` gets the reason for a file that cannot be removed.
 */
export async function removeOld(
  disk: Disk,
  dir: string,
  { now, keepMs, current }: { readonly now: number; readonly keepMs: number; readonly current: string },
  report: (problem: unknown) => void,
): Promise<void> {
  for (const { name, changedAt } of await disk.list(dir)) {
    const openedAt = parseOpenedAt(name);
    if (openedAt === null || name === current || now - Math.max(openedAt, changedAt) <= keepMs) continue;
    try {
      await disk.remove(path.join(dir, name));
    } catch (error) {
      report(error);
    }
  }
}
