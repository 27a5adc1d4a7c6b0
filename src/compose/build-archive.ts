import { hostname } from "node:os";
import { createArchiveReader } from "../archive/create-archive-reader.ts";
import { createArchive } from "../archive/create-archive.ts";
import { readVolume } from "../archive/volume.ts";
import { whyUnwritable } from "../archive/writable.ts";
import {
  judgeVolume,
  toVolumeComplaint,
  type Archive,
  type ArchiveReader,
  type DeclaredVolume,
} from "../ports/archive.ts";
import type { ArchiveConfig } from "../ports/drains.ts";
import type { RedriverError } from "../ports/errors.ts";
import type { RedisConnection } from "../redis/connect.ts";
import { isInPod, systemClock } from "./system-world.ts";

/** This process's part of the archive. `tell` is called with what does not stop a write. */
export function openArchive(
  { dir, keepMs, volume }: ArchiveConfig,
  redis: Pick<RedisConnection, "command" | "isReady">,
  tell: (problem: RedriverError) => void,
): Archive {
  // In a container the host name is the pod's.
  return createArchive({
    dir,
    keepMs,
    volume: volume ?? silentVolume(),
    owner: hostname(),
    pid: process.pid,
    now: systemClock.now,
    otherNow: () => askTime(redis),
    tell,
  });
}

/** Redis's clock, Unix ms; null while it does not answer, for 2 s at the longest. Of a cluster any node's. */
async function askTime(redis: Pick<RedisConnection, "command" | "isReady">): Promise<number | null> {
  if (!redis.isReady()) return null;
  try {
    const [seconds] = (await redis.command("TIME")) as readonly [string, string];
    return Number(seconds) * 1_000;
  } catch {
    return null;
  }
}

export interface SeenVolume {
  readonly verdict: ReturnType<typeof judgeVolume>;
  /** What is wrong with it; empty where it is fit. */
  readonly complaint: string;
  /** Whether it is wrong wherever it is looked at, not only from here. */
  readonly isCertain: boolean;
}

/**
 * The archive's volume as it is from here just now. Null if it cannot be read: a write will report why.
 * Writes nothing.
 */
export async function lookAtVolume({ dir, volume }: ArchiveConfig): Promise<SeenVolume | null> {
  const unwritable = await whyUnwritable(dir);
  if (unwritable !== null) {
    const { error, isCertain } = unwritable;
    return { verdict: "unfit", complaint: error.message, isCertain };
  }
  try {
    const seen = await readVolume(dir);
    const verdict = judgeVolume(seen, volume ?? silentVolume());
    return { verdict, complaint: verdict === "fit" ? "" : toVolumeComplaint(seen, dir), isCertain: false };
  } catch {
    return null;
  }
}

/**
 * If the document declares nothing: a pod's own layer ends with the pod, and a developer's machine may be one
 * layer of a container.
 */
export function silentVolume(): DeclaredVolume {
  return isInPod() ? "durable" : "undeclared";
}

/** Reads what any process kept in `dir`. */
export function openArchiveReader(dir: string): ArchiveReader {
  return createArchiveReader(dir);
}
