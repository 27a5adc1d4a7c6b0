import { hostname } from "node:os";
import { createArchiveReader } from "../archive/create-archive-reader.ts";
import { createArchive } from "../archive/create-archive.ts";
import type { Archive, ArchiveReader } from "../ports/archive.ts";
import type { ArchiveConfig } from "../ports/drains.ts";
import type { RedriverError } from "../ports/errors.ts";
import { systemClock } from "./system-world.ts";

/** This process's part of the archive. `tell` hears what does not stop a write. */
export function openArchive({ dir, keepMs }: ArchiveConfig, tell: (problem: RedriverError) => void): Archive {
  // In a container the host name is the pod's.
  return createArchive({ dir, keepMs, owner: hostname(), pid: process.pid, now: systemClock.now, tell });
}

/** Reads what any process kept in `dir`. */
export function openArchiveReader(dir: string): ArchiveReader {
  return createArchiveReader(dir);
}
