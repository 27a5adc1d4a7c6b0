import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createArchiveReader } from "../../src/job/archive/archive-reader.ts";
import type { ArchiveEntry } from "../../src/job/contracts/archive.ts";
import { createRig, type Rig, type RigOptions } from "./rig.ts";

/** A folder that goes with the test. */
export function newDir(): string {
  const dir = mkdtempSync(join(tmpdir(), "redriver-drop-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

const fail = ({ file, why }: { file: string; why: string }): never => {
  throw new Error(`${file}: ${why}`);
};

/** Everything that the archive in this folder holds. */
export async function kept(dir: string): Promise<readonly ArchiveEntry[]> {
  const entries: ArchiveEntry[] = [];
  for await (const entry of createArchiveReader(dir).entries({}, fail)) entries.push(entry);
  return entries;
}

/** A rig with an archive in this folder. */
export const createArchiveRig = (
  redisUrl: string,
  dir: string | null,
  drain: string,
  options: Partial<RigOptions> = {},
): Promise<Rig> =>
  createRig({
    redisUrl,
    drain: `\n    minAge: 1s\n    attempts: { max: 5, wait: [1s] }\n${drain}`,
    ...(dir === null ? {} : { document: `archive: { dir: ${dir}, keep: 30d, volume: ephemeral }\n` }),
    ...options,
  });
