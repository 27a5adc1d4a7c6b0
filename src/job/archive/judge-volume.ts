import { stat, statfs, access, constants } from "node:fs/promises";
import path from "node:path";
import type { ArchiveVolume, DeclaredVolume } from "../contracts/archive.ts";
import { errorCode, toArchiveError } from "./translate-error.ts";

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

/** Of a missing directory, its nearest parent's. Fails with the system's own error. */
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

/** `unfit`: no delete may rely on it. `doubtful`: it ends with a container, or with a developer's machine. */
export function judgeVolume({ kind }: ArchiveVolume, declared: DeclaredVolume): "fit" | "doubtful" | "unfit" {
  if (declared === "ephemeral") return "fit";
  switch (kind) {
    case "memory":
      return "unfit";
    case "container":
      return declared === "durable" ? "unfit" : "doubtful";
    case "other":
      return "fit";
  }
}

export function toVolumeComplaint({ kind, fileSystem }: ArchiveVolume, dir: string): string {
  const ends = kind === "memory" ? "is in memory" : "ends with its container";
  return `expected the archive in ${dir} to be on a volume that lasts, got ${fileSystem}, which ${ends}; mount a volume there, or accept this one with archive.volume: ephemeral`;
}

export interface SeenVolume {
  readonly verdict: ReturnType<typeof judgeVolume>;
  readonly complaint: string;
  /** Something on the path is no directory: no mount and no permission fixes that, also on other machines. */
  readonly isCertain: boolean;
}

/** The state of a volume from here. Null if it cannot be read: a write will report why. Writes nothing. */
export async function seeVolume(dir: string, declared: DeclaredVolume): Promise<SeenVolume | null> {
  const error = await whyUnwritable(dir);
  if (error !== null) {
    const { message: complaint } = toArchiveError(error, dir, "write to");
    return { verdict: "unfit", complaint, isCertain: errorCode(error) === "ENOTDIR" };
  }
  try {
    const seen = await readVolume(dir);
    const verdict = judgeVolume(seen, declared);
    return { verdict, complaint: verdict === "fit" ? "" : toVolumeComplaint(seen, dir), isCertain: false };
  } catch {
    return null;
  }
}

/** The system's error if nothing can be written there, as far as can be seen without a write; null: none. */
async function whyUnwritable(dir: string): Promise<unknown> {
  for (let at = path.resolve(dir); ; at = path.dirname(at)) {
    try {
      if (!(await stat(at)).isDirectory()) return systemError("ENOTDIR");
      await access(at, constants.W_OK | constants.X_OK);
      const { blocks, bavail } = await statfs(at);
      // A file system that counts nothing reports 0 for both.
      return blocks > 0 && bavail === 0 ? systemError("ENOSPC") : null;
    } catch (error) {
      if (errorCode(error) === "ENOENT" && path.dirname(at) !== at) continue;
      return error;
    }
  }
}

function systemError(code: string): Error {
  return Object.assign(new Error(code), { code });
}
