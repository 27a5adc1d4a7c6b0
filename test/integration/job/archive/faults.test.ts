import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { systemDisk, type Disk } from "../../../../src/job/archive/disk.ts";
import {
  archivedAt,
  archiveEntry,
  archiveFiles,
  createStand,
  readArchive,
  unpack,
} from "../../../support/archives.ts";
import { createFolder } from "../../../support/command.ts";
import { casesOf } from "../../../support/fuzzing.ts";

type Fault = "write" | "short-write" | "sync" | "truncate" | "create" | "directory";

/** The disk, which fails where it is told to. A failed write leaves half of its bytes behind. */
function faulty(): { readonly disk: Disk; readonly faults: Set<Fault> } {
  const faults = new Set<Fault>();
  const disk: Disk = {
    ...systemDisk,
    syncDirectory: (dir) => (faults.has("directory") ? fail("EIO") : systemDisk.syncDirectory(dir)),
    create: async (path) => {
      if (faults.has("create")) return fail("EROFS");
      const file = await systemDisk.create(path);
      return {
        ...file,
        write: async (bytes, position) => {
          if (faults.has("short-write")) return file.write(bytes.subarray(0, 7), position);
          if (!faults.has("write")) return file.write(bytes, position);
          await file.write(bytes.subarray(0, bytes.length / 2), position);
          return fail("ENOSPC");
        },
        sync: () => (faults.has("sync") ? fail("EIO") : file.sync()),
        truncate: (bytes) => (faults.has("truncate") ? fail("EIO") : file.truncate(bytes)),
      };
    },
  };
  return { disk, faults };
}

function fail(code: string): Promise<never> {
  return Promise.reject(Object.assign(new Error(code), { code }));
}

const idOf = (n: number): string => archiveEntry(n).dlqId;

it("writes that fail one after the other rest longer and longer, five minutes at most, and are known until one works or nobody tries", async () => {
  const { disk, faults } = faulty();
  let now = archivedAt;
  const { archive } = createStand({ disk, now: () => now });
  const fails = () => expect(archive.write([archiveEntry(1)])).rejects.toThrow("ENOSPC");
  expect(archive.problem()).toBeNull();
  faults.add("write");
  await fails();
  expect(archive.problem()).toEqual({ why: expect.stringContaining("ENOSPC"), isResting: false });
  for (const restS of [2, 4, 8, 16, 32, 64, 128, 256, 300, 300]) {
    // Those that were begun together count once.
    await Promise.all([fails(), fails()]);
    now += restS * 1_000 - 1;
    expect(archive.problem()?.isResting, `${restS} s`).toBe(true);
    now += 1;
    expect(archive.problem()?.isResting, `${restS} s`).toBe(false);
  }
  now += 300_000;
  expect(archive.problem()).toBeNull();
  await fails();
  faults.clear();
  await archive.write([archiveEntry(2)]);
  expect(archive.problem()).toBeNull();
  faults.add("write");
  await fails();
  expect(archive.problem()?.isResting).toBe(false);
});

describe("a write that fails", () => {
  it.each([
    { fault: "write", reason: "no space left on the volume (ENOSPC)" },
    { fault: "sync", reason: "an input/output error (EIO)" },
    { fault: "create", reason: "a read-only file system (EROFS)" },
    { fault: "directory", reason: "an input/output error (EIO)" },
  ] as const)("at $fault says why, and leaves nothing in a new archive", async ({ fault, reason }) => {
    const { disk, faults } = faulty();
    const { archive, dir } = createStand({ disk });
    faults.add(fault);
    await expect(archive.write([archiveEntry(1)])).rejects.toMatchObject({
      code: "archive-unavailable",
      message: `expected to write to the archive in ${dir}, got ${reason}; see archive.dir`,
      cause: expect.anything(),
    });
    expect(archiveFiles(dir)).toEqual([]);
    faults.clear();
    await archive.write([archiveEntry(2)]);
    expect((await readArchive(dir)).ids).toEqual([idOf(2)]);
  });

  it.each(["write", "sync"] as const)(
    "at %s cuts its file back to the last good member, and what follows stands in another file",
    async (fault) => {
      const { disk, faults } = faulty();
      const { archive, dir } = createStand({ disk });
      const before = await archive.write([archiveEntry(1)]);
      faults.add(fault);
      await expect(archive.write([archiveEntry(2)])).rejects.toThrow("expected to write to the archive");
      faults.clear();
      const after = await archive.write([archiveEntry(3)]);
      expect(after.file).not.toBe(before.file);
      expect(unpack(dir, before.file)).toContain(idOf(1));
      expect(await readArchive(dir)).toMatchObject({ ids: [idOf(1), idOf(3)], damages: [] });
    },
  );

  it("fails everybody whose entries were in it, and nobody after it", async () => {
    const { disk, faults } = faulty();
    const { archive, dir } = createStand({ disk });
    await archive.write([archiveEntry(0)]);
    faults.add("write");
    const doomed = await Promise.allSettled([1, 2, 3].map((n) => archive.write([archiveEntry(n)])));
    expect(doomed.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    faults.clear();
    await archive.write([archiveEntry(4)]);
    expect((await readArchive(dir)).ids).toEqual([idOf(0), idOf(4)]);
  });
});

it("any sequence of faults keeps exactly what was said to be kept readable, and only ends are torn", async () => {
  const step = fc.uniqueArray(
    fc.constantFrom<Fault>("write", "short-write", "sync", "truncate", "create", "directory"),
    { maxLength: 3 },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const { disk, faults } = faulty();
      const { archive, dir } = createStand({ disk, maxFileBytes: 1_000 });
      const kept: string[] = [];
      for (const [n, set] of steps.entries()) {
        faults.clear();
        for (const fault of set) faults.add(fault);
        await archive.write([archiveEntry(n)]).then(
          () => kept.push(idOf(n)),
          () => undefined,
        );
      }
      faults.clear();
      await archive.write([archiveEntry(100)]);
      const { ids, damages } = await readArchive(dir);
      expect(ids).toEqual(expect.arrayContaining([...kept, idOf(100)]));
      expect(damages.filter(({ kind }) => kind === "broken")).toEqual([]);
    }),
    { numRuns: casesOf(60) },
  );
});

it.each([
  { how: "removed", take: (dir: string) => rmSync(dir, { recursive: true }) },
  { how: "moved", take: (dir: string) => renameSync(dir, `${dir}-elsewhere`) },
])(
  "a directory that somebody takes away $how: is made again, the write goes there, and it is told",
  async ({ take }) => {
    const { archive, dir, told } = createStand({ dir: join(createFolder().path, "archive") });
    const before = await archive.write([archiveEntry(1)]);
    take(dir);
    expect(existsSync(dir)).toBe(false);
    const after = await archive.write([archiveEntry(2)]);
    expect(after.file).not.toBe(before.file);
    expect((await readArchive(dir)).ids).toEqual([idOf(2)]);
    expect(told).toMatchObject([{ message: expect.stringContaining(`expected ${before.file}`) }]);
  },
);
