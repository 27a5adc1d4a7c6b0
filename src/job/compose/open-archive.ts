import { hostname } from "node:os";
import { createArchive } from "../archive/archive-writer.ts";
import { seeVolume, type SeenVolume } from "../archive/judge-volume.ts";
import type { Archive, DeclaredVolume } from "../contracts/archive.ts";
import type { ArchiveConfig } from "../contracts/drains-document.ts";
import type { RedriverError } from "../contracts/errors.ts";
import type { RedisConnection } from "../redis/connect.ts";
import { systemClock } from "../../system-world.ts";

export { createArchiveReader as openArchiveReader } from "../archive/archive-reader.ts";

/** This process's part of the archive. `report` is called with problems that do not stop a write. */
export function openArchive(
  { dir, keepMs, volume }: ArchiveConfig,
  redis: Pick<RedisConnection, "command" | "isReady">,
  report: (problem: RedriverError) => void,
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
    report,
  });
}

/** Redis's clock, Unix ms; null while it does not answer, for 2 s at most. Of a cluster any node's. */
async function askTime(redis: Pick<RedisConnection, "command" | "isReady">): Promise<number | null> {
  if (!redis.isReady()) return null;
  try {
    const [seconds] = (await redis.command("TIME")) as readonly [string, string];
    return Number(seconds) * 1_000;
  } catch {
    return null;
  }
}

export function lookAtVolume({ dir, volume }: ArchiveConfig): Promise<SeenVolume | null> {
  return seeVolume(dir, volume ?? silentVolume());
}

/** Undeclared: a pod's layer ends with the pod, and Kubernetes sets the variable in every container. */
export function silentVolume(): DeclaredVolume {
  return process.env["KUBERNETES_SERVICE_HOST"] === undefined ? "undeclared" : "durable";
}
