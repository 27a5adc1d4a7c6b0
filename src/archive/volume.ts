import { stat, statfs } from "node:fs/promises";
import path from "node:path";
import type { ArchiveVolume } from "../ports/archive.ts";

/**
 * `f_type` of Linux (statfs(2)). File systems in memory end with the machine or the pod. Those that
 * containers stack over their image end with the container. Every other one counts as lasting: an emptyDir on
 * a node's disk looks like a volume that lasts.
 */
const fileSystems: ReadonlyMap<number, Pick<ArchiveVolume, "kind" | "fileSystem">> = new Map([
  [0x01_02_19_94, { kind: "memory", fileSystem: "tmpfs" }],
  [0x85_84_58_f6, { kind: "memory", fileSystem: "ramfs" }],
  [0x79_4c_76_30, { kind: "container", fileSystem: "overlay" }],
  [0x61_75_66_73, { kind: "container", fileSystem: "aufs" }],
]);

/**
 * The volume of a directory, or of its nearest parent if it is missing. Fails with the system's own error.
 */
export async function readVolume(dir: string): Promise<ArchiveVolume> {
  const at = await nearestThatExists(path.resolve(dir));
  const { type } = await statfs(at);
  return fileSystems.get(type >>> 0) ?? { kind: "other", fileSystem: `0x${(type >>> 0).toString(16)}` };
}

async function nearestThatExists(dir: string): Promise<string> {
  try {
    await stat(dir);
    return dir;
  } catch (error) {
    const parent = path.dirname(dir);
    if (parent === dir) throw error;
    return nearestThatExists(parent);
  }
}
