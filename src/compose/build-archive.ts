import { hostname } from "node:os";
import { createArchiveReader } from "../archive/create-archive-reader.ts";
import { createArchive } from "../archive/create-archive.ts";
import { readVolume } from "../archive/volume.ts";
import { judgeVolume, toVolumeComplaint, type Archive, type ArchiveReader } from "../ports/archive.ts";
import type { ArchiveConfig } from "../ports/drains.ts";
import type { RedriverError } from "../ports/errors.ts";
import { systemClock } from "./system-world.ts";

/** This process's part of the archive. `tell` hears what does not stop a write. */
export function openArchive(
  { dir, keepMs, volume }: ArchiveConfig,
  tell: (problem: RedriverError) => void,
): Archive {
  // In a container the host name is the pod's.
  return createArchive({
    dir,
    keepMs,
    volume: volume ?? "undeclared",
    owner: hostname(),
    pid: process.pid,
    now: systemClock.now,
    tell,
  });
}

export interface SeenVolume {
  readonly verdict: ReturnType<typeof judgeVolume>;
  /** What is wrong with it; empty where it is fit. */
  readonly complaint: string;
}

/** How the archive's volume looks from here just now. Null where it cannot be asked: a write will say why. */
export async function lookAtVolume({ dir, volume }: ArchiveConfig): Promise<SeenVolume | null> {
  try {
    const seen = await readVolume(dir);
    const verdict = judgeVolume(seen, volume ?? "undeclared");
    return { verdict, complaint: verdict === "fit" ? "" : toVolumeComplaint(seen, dir) };
  } catch {
    return null;
  }
}

/** Reads what any process kept in `dir`. */
export function openArchiveReader(dir: string): ArchiveReader {
  return createArchiveReader(dir);
}
