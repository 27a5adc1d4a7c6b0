import { expect } from "vitest";
import type { ReadEntry } from "../../src/job/contracts/archive.ts";
import { readArchive } from "./archives.ts";
import { createFolder } from "./command.ts";
import { createRig, type Rig, type RigOptions } from "./rig.ts";

/** A folder that goes with the test. */
export const newDir = (): string => createFolder().path;

/** Everything that the archive in this folder holds, which is whole. */
export async function kept(dir: string): Promise<readonly ReadEntry[]> {
  const { entries, damages } = await readArchive(dir);
  expect(damages).toEqual([]);
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
