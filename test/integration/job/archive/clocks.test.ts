import { utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { systemDisk, type Disk } from "../../../../src/job/archive/disk.ts";
import {
  archiveEntry,
  archiveFiles,
  createStand,
  dayMs,
  nameAt,
  oldFile,
} from "../../../support/archives.ts";
import { createFolder } from "../../../support/command.ts";

const keepMs = 3 * dayMs;
const minuteMs = 60_000;

/** A file of another process, which named it and changed it last so long ago. */
function fileOf(dir: string, ageMs: number): string {
  const at = Date.now() - ageMs;
  return oldFile(dir, nameAt(at), at);
}

/** How far clocks are from the true time; null: Redis does not answer. */
interface Clocks {
  ownMs: number;
  redisMs: number | null;
  readonly diskMs?: number;
}

/** An archive of a process with these clocks. The file system's own is right where none is given. */
function standWith(dir: string, given: Clocks) {
  const clocks = { ...given };
  const disk: Disk = {
    ...systemDisk,
    create: async (path) => ({
      ...(await systemDisk.create(path)),
      changedAt: () => Promise.resolve(Date.now() + (clocks.diskMs ?? 0)),
    }),
  };
  const stand = createStand({
    dir,
    keepMs,
    disk,
    // Each write begins a file, so each looks for old ones.
    maxFileBytes: 1,
    now: () => Date.now() + clocks.ownMs,
    otherNow: () => Promise.resolve(clocks.redisMs === null ? null : Date.now() + clocks.redisMs),
  });
  return { ...stand, clocks };
}

describe("files of other processes", () => {
  it.each<[string, number, Clocks]>([
    ["this machine's is four days ahead", -minuteMs, { ownMs: 4 * dayMs, redisMs: 0, diskMs: 4 * dayMs }],
    ["Redis's is", -minuteMs, { ownMs: 0, redisMs: 4 * dayMs }],
    ["both are, as only the file system knows", -minuteMs, { ownMs: 4 * dayMs, redisMs: 4 * dayMs }],
    ["Redis does not answer", -minuteMs, { ownMs: 4 * dayMs, redisMs: null, diskMs: 4 * dayMs }],
    ["the file system's says that they are young", minuteMs, { ownMs: 0, redisMs: 0, diskMs: -2 * minuteMs }],
    ["the earlier of two that agree says so", minuteMs, { ownMs: 2 * minuteMs, redisMs: -2 * minuteMs }],
  ])(
    "stay if of the clocks %s, and those past their time are removed by right ones",
    async (_, past, clocks) => {
      const { path: dir } = createFolder();
      const file = fileOf(dir, keepMs + past);
      await standWith(dir, clocks).archive.write([archiveEntry(1)]);
      expect(archiveFiles(dir)).toContain(file);
      await standWith(dir, { ownMs: 0, redisMs: 0 }).archive.write([archiveEntry(2)]);
      expect(archiveFiles(dir).includes(file)).toBe(past < 0);
    },
  );

  it("are removed again once the clocks agree, and their difference is told once until then", async () => {
    const { path: dir } = createFolder();
    const old = fileOf(dir, keepMs + minuteMs);
    const { archive, told, clocks } = standWith(dir, {
      ownMs: 40 * minuteMs,
      redisMs: 0,
      diskMs: 200 * minuteMs,
    });
    const afterAnHour = async (): Promise<void> => {
      clocks.ownMs += 60 * minuteMs;
      if (clocks.redisMs !== null) clocks.redisMs += 60 * minuteMs;
      await archive.write([archiveEntry(1)]);
    };
    await archive.write([archiveEntry(1)]);
    await afterAnHour();
    expect(told).toMatchObject([
      { code: "archive-unavailable", message: expect.stringContaining("got 40 min between them") as string },
    ]);
    expect(archiveFiles(dir)).toContain(old);
    clocks.ownMs -= 40 * minuteMs;
    await afterAnHour();
    await afterAnHour();
    expect(archiveFiles(dir)).not.toContain(old);
    clocks.redisMs = -10 * dayMs;
    await afterAnHour();
    expect(told).toHaveLength(2);
  });
});

it("a file is named by the later of both clocks, so that one of a clock far behind is not taken for old", async () => {
  const { path: dir } = createFolder();
  const { archive } = standWith(dir, { ownMs: -40 * dayMs, redisMs: 0 });
  const { file } = await archive.write([archiveEntry(1)]);
  const changedAt = Date.now() / 1_000 - 40 * 86_400;
  utimesSync(join(dir, file), changedAt, changedAt);
  await standWith(dir, { ownMs: 0, redisMs: 0 }).archive.write([archiveEntry(2)]);
  expect(archiveFiles(dir)).toContain(file);
});
