import { mkdirSync, readdirSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { systemDisk, type Disk } from "../../../../src/job/archive/disk.ts";
import type { DlqId } from "../../../../src/job/message/dead-letter.ts";
import { createFolder } from "../../../support/command.ts";
import {
  archivedAt,
  archiveEntry,
  archiveFiles,
  createStand,
  dayMs,
  nameAt,
  oldFile,
  readArchive,
  unpack,
} from "../../../support/archives.ts";

describe("a write", () => {
  it("keeps complete records as newline-delimited JSON that any gunzip reads", async () => {
    const { archive, dir } = createStand({ now: () => archivedAt });
    const strange = archiveEntry(2, {
      drain: null,
      rule: null,
      why: "near-expiry",
      dlqId: "1-2" as DlqId,
      record: JSON.parse(
        '{"dlqId":"1-2","__proto__":{"a":1},"body":"\\ud800 \\u0000\\n\\u001f","new":[1,{"x":null}]}',
      ) as Record<string, unknown>,
    });
    const { file } = await archive.write([archiveEntry(1), strange]);
    expect(file).toBe("20251009T085320.000Z-pod-0-7-1.ndjson.gz");
    expect(archiveFiles(dir)).toEqual([file]);
    const lines = unpack(dir, file).split("\n");
    expect(lines.pop()).toBe("");
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([archiveEntry(1), strange]);
    expect((await readArchive(dir)).entries).toEqual([
      { ...archiveEntry(1), file },
      { ...strange, file },
    ]);
  });

  it("resolves only after the file, and for a new file its directory, are synced", async () => {
    const acts: string[] = [];
    const { archive } = createStand({ disk: watched(acts) });
    await archive.write([archiveEntry(1)]);
    expect(acts).toEqual(["directory", "create", "write", "sync", "sync directory"]);
    acts.length = 0;
    await archive.write([archiveEntry(2)]);
    expect(acts).toEqual(["write", "sync"]);
  });

  it("lets all that waits share one member and one sync, in order", async () => {
    const acts: string[] = [];
    const { archive, dir } = createStand({ disk: watched(acts) });
    const written = await Promise.all(Array.from({ length: 50 }, (_, n) => archive.write([archiveEntry(n)])));
    expect(new Set(written.map(({ file }) => file)).size).toBe(1);
    expect(acts.filter((act) => act === "sync")).toHaveLength(2);
    expect((await readArchive(dir)).ids).toEqual(Array.from({ length: 50 }, (_, n) => archiveEntry(n).dlqId));
  });

  it("makes the directory with its parents, for this user alone", async () => {
    const dir = join(createFolder().path, "a/b/archive");
    const { archive } = createStand({ dir });
    const { file } = await archive.write([archiveEntry(1)]);
    const modes = [dir, join(dir, ".."), join(dir, file)].map((path) => statSync(path).mode & 0o777);
    expect(modes).toEqual([0o700, 0o700, 0o600]);
  });

  it("never goes into a file that is there already", async () => {
    const first = createStand({ now: () => archivedAt });
    const second = createStand({ now: () => archivedAt, dir: first.dir });
    const [one, other] = await Promise.all([
      first.archive.write([archiveEntry(1)]),
      second.archive.write([archiveEntry(2)]),
    ]);
    expect(one.file).not.toBe(other.file);
    expect((await readArchive(first.dir)).ids.toSorted()).toEqual([
      archiveEntry(1).dlqId,
      archiveEntry(2).dlqId,
    ]);
  });

  it("is refused after close, which waits for the writes before it", async () => {
    const { archive, dir } = createStand();
    const before = archive.write([archiveEntry(1)]);
    await archive.close();
    await expect(archive.write([archiveEntry(2)])).rejects.toMatchObject({ code: "archive-unavailable" });
    await before;
    expect((await readArchive(dir)).ids).toEqual([archiveEntry(1).dlqId]);
  });
});

describe("rotation", () => {
  it("begins another file when the size is reached", async () => {
    const { archive, dir } = createStand({ maxFileBytes: 2_000 });
    for (let n = 0; n < 40; n += 1) await archive.write([archiveEntry(n)]);
    const sizes = archiveFiles(dir).map((name) => statSync(join(dir, name)).size);
    expect(sizes.length).toBeGreaterThan(2);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(2_000);
    expect((await readArchive(dir)).ids).toEqual(Array.from({ length: 40 }, (_, n) => archiveEntry(n).dlqId));
  });

  it("writes what alone is larger than a file to one of its own", async () => {
    const { archive, dir } = createStand({ maxFileBytes: 10 });
    await archive.write([archiveEntry(1)]);
    await archive.write([archiveEntry(2)]);
    expect(archiveFiles(dir)).toHaveLength(2);
  });

  it.each([
    { name: "an hour", keepMs: 30 * dayMs, ageMs: 3_600_000 },
    { name: "half the time that files are kept", keepMs: 60_000, ageMs: 30_000 },
  ])("begins another file after $name", async ({ keepMs, ageMs }) => {
    let now = Date.now();
    const { archive, dir } = createStand({ keepMs, now: () => now });
    await archive.write([archiveEntry(1)]);
    now += ageMs - 1;
    await archive.write([archiveEntry(2)]);
    expect(archiveFiles(dir)).toHaveLength(1);
    now += 1;
    await archive.write([archiveEntry(3)]);
    expect(archiveFiles(dir)).toHaveLength(2);
  });
});

describe("keeping", () => {
  it("removes files past their time when one is begun, and nothing that is not of its own naming", async () => {
    const { path: dir } = createFolder();
    const now = Date.now();
    const past = now - 31 * dayMs;
    oldFile(dir, nameAt(past), past);
    const kept = [
      oldFile(dir, nameAt(past + 1), now - 29 * dayMs),
      oldFile(dir, nameAt(now - 29 * dayMs), past),
      oldFile(dir, "notes.txt", past),
      oldFile(dir, "backup.ndjson.gz", past),
      oldFile(dir, `${nameAt(past)}.bak`, past),
    ];
    mkdirSync(join(dir, nameAt(past - 1)));
    symlinkSync(join(dir, "notes.txt"), join(dir, nameAt(past - 2)));
    const { archive } = createStand({ dir });
    const { file } = await archive.write([archiveEntry(1)]);
    expect(readdirSync(dir).toSorted()).toEqual(
      [...kept, file, nameAt(past - 1), nameAt(past - 2)].toSorted(),
    );
  });

  it("tells of a file that it cannot remove, and writes all the same", async () => {
    const { path: dir } = createFolder();
    const past = Date.now() - 31 * dayMs;
    oldFile(dir, nameAt(past), past);
    const disk: Disk = {
      ...systemDisk,
      remove: () => Promise.reject(Object.assign(new Error("no"), { code: "EACCES" })),
    };
    const { archive, told } = createStand({ dir, disk });
    await archive.write([archiveEntry(1)]);
    expect(told).toMatchObject([{ code: "archive-unavailable", message: expect.stringContaining("EACCES") }]);
  });
});

/** The disk, which notes what is done to it. */
function watched(acts: string[]): Disk {
  return {
    ...systemDisk,
    makeDirectory: (dir) => {
      acts.push("directory");
      return systemDisk.makeDirectory(dir);
    },
    syncDirectory: async (dir) => {
      await systemDisk.syncDirectory(dir);
      acts.push("sync directory");
    },
    create: async (path) => {
      acts.push("create");
      const file = await systemDisk.create(path);
      return {
        ...file,
        write: async (bytes, position) => {
          const taken = await file.write(bytes, position);
          acts.push("write");
          return taken;
        },
        sync: async () => {
          await file.sync();
          acts.push("sync");
        },
      };
    },
  };
}
