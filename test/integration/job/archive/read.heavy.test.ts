import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { toLine } from "../../../../src/job/archive/entry-line.ts";
import { toMember } from "../../../../src/job/archive/gzip-member.ts";
import { createArchiveReader } from "../../../../src/job/archive/archive-reader.ts";
import type { ArchiveDamage } from "../../../../src/job/contracts/archive.ts";
import type { DrainName, SourceId } from "../../../../src/job/contracts/ids.ts";
import { archivedAt, archiveEntry, createStand, readArchive } from "../../../support/archives.ts";
import { createFolder } from "../../../support/command.ts";

const idOf = (n: number): string => archiveEntry(n).dlqId;

/** Members of two entries each, and where each ends. */
async function members(count: number): Promise<{ readonly bytes: Buffer; readonly ends: readonly number[] }> {
  const parts: Buffer[] = [];
  const ends: number[] = [];
  for (let n = 0; n < count; n += 1) {
    parts.push(await toMember(toLine(archiveEntry(2 * n)) + toLine(archiveEntry(2 * n + 1))));
    ends.push((ends.at(-1) ?? 0) + (parts.at(-1)?.length ?? 0));
  }
  return { bytes: Buffer.concat(parts), ends };
}

async function readBytes(bytes: Buffer, folder = createFolder().path) {
  writeFileSync(join(folder, "a.ndjson.gz"), bytes);
  return readArchive(folder);
}

const cutOff = /^behind line \d: ends in the middle of an entry$/;

describe("a torn end", () => {
  it("at any byte leaves every member before it readable, and is told", async () => {
    const { bytes, ends } = await members(3);
    const { path } = createFolder();
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const { ids, damages } = await readBytes(bytes.subarray(0, cut), path);
      const whole = ends.filter((end) => end <= cut).length;
      expect(ids.slice(0, 2 * whole), `cut at ${cut}`).toEqual(
        Array.from({ length: 2 * whole }, (_, n) => idOf(n)),
      );
      const isTorn = cut !== 0 && !ends.includes(cut);
      const torn = { file: "a.ndjson.gz", kind: "torn", entries: null };
      expect(damages, `cut at ${cut}`).toMatchObject(isTorn ? [torn] : []);
      for (const { why } of damages) expect(why).toMatch(cutOff);
    }
  });

  it("of zeros, as a file system leaves it after a power cut, is a torn end", async () => {
    const { bytes, ends } = await members(2);
    for (const keep of [ends[0] ?? 0, (ends[0] ?? 0) + 15, bytes.length]) {
      const { entries, damages } = await readBytes(
        Buffer.concat([bytes.subarray(0, keep), Buffer.alloc(4_096)]),
      );
      const sure = entries.filter(({ isDoubtful }) => isDoubtful !== true).map(({ dlqId }) => dlqId);
      expect(sure).toEqual([0, 1, 2, 3].map(idOf).slice(0, keep === bytes.length ? 4 : 2));
      expect(damages).toMatchObject([{ kind: "torn" }]);
    }
  });
});

describe("damage in the middle", () => {
  it("costs the member that it is in, and is told as broken", async () => {
    const { bytes, ends } = await members(3);
    const [first = 0, second = 0] = ends;
    const { path } = createFolder();
    for (let at = first + 12; at < second; at += 1) {
      const flipped = Buffer.from(bytes);
      flipped[at] = (flipped[at] ?? 0) ^ 0x10;
      const { entries, damages } = await readBytes(flipped, path);
      const sure = entries.filter(({ isDoubtful }) => isDoubtful !== true);
      expect(
        sure.map(({ dlqId }) => dlqId),
        `byte ${at}`,
      ).toEqual([0, 1, 4, 5].map(idOf));
      expect(damages, `byte ${at}`).toMatchObject([{ kind: "broken" }]);
    }
  });

  it("at the end of the last member is broken and not torn: it was whole once", async () => {
    const { bytes } = await members(2);
    bytes[bytes.length - 6] = (bytes.at(-6) ?? 0) ^ 1;
    expect((await readBytes(bytes)).damages).toMatchObject([{ kind: "broken" }]);
  });

  it("of lines that are no entries is told with the line, of ten, and then counted", async () => {
    const bytes = await toMember(`{"a":1}\nno json\n${toLine(archiveEntry(1))}[]\n${"null\n".repeat(10)}`);
    const { ids, damages } = await readBytes(bytes);
    expect(ids).toEqual([idOf(1)]);
    expect(damages).toHaveLength(11);
    expect(damages[2]).toMatchObject({ kind: "broken", why: "line 4: no entry of an archive", entries: 1 });
    expect(damages[10]).toMatchObject({ why: "3 places more", entries: null });
  });
});

describe("a file", () => {
  it("that somebody packed anew is read", async () => {
    const text = Array.from({ length: 100 }, (_, n) => toLine(archiveEntry(n))).join("");
    const { ids, damages } = await readBytes(gzipSync(text, { level: 9 }));
    expect(ids).toHaveLength(100);
    expect(damages).toEqual([]);
  });

  it("of zero bytes, or gone when its turn comes, has no entries and no damage", async () => {
    const { archive, dir } = createStand({ maxFileBytes: 1 });
    const { file } = await archive.write([archiveEntry(1)]);
    const { file: second } = await archive.write([archiveEntry(2)]);
    writeFileSync(join(dir, "0.ndjson.gz"), "");
    const damages: ArchiveDamage[] = [];
    const ids: string[] = [];
    for await (const entry of createArchiveReader(dir).entries({}, (damage) => damages.push(damage))) {
      ids.push(entry.dlqId);
      if (entry.file === file) rmSync(join(dir, second));
    }
    expect({ ids, damages }).toEqual({ ids: [idOf(1)], damages: [] });
  });
});

describe("reading", () => {
  it("goes by file name, then by position, and lists the files so", async () => {
    let now = archivedAt;
    const { archive, dir } = createStand({ now: () => now, maxFileBytes: 1 });
    for (let n = 0; n < 12; n += 1) {
      await archive.write([archiveEntry(n)]);
      now += 1;
    }
    expect((await readArchive(dir)).ids).toEqual(Array.from({ length: 12 }, (_, n) => idOf(n)));
    const files = await createArchiveReader(dir).files();
    expect(files.map(({ file }) => file)).toEqual(files.map(({ file }) => file).toSorted());
    expect(files[0]).toEqual({
      file: "20251009T085320.000Z-pod-0-7-1.ndjson.gz",
      bytes: readFileSync(join(dir, files[0]?.file ?? "")).length,
      changedAt: expect.any(Number),
    });
  });

  it.each([
    { name: "source", filter: { source: "us" as SourceId }, ids: [1] },
    { name: "drain", filter: { drain: "refunds" as DrainName }, ids: [2] },
    { name: "ids", filter: { dlqIds: [idOf(0), idOf(3), "other"] }, ids: [0, 3] },
    { name: "no ids", filter: { dlqIds: [] }, ids: [] },
    { name: "since", filter: { since: archivedAt + 1 }, ids: [3] },
    { name: "until", filter: { until: archivedAt }, ids: [0, 1, 2] },
    { name: "both ends", filter: { since: archivedAt, until: archivedAt }, ids: [0, 1, 2] },
    { name: "all together", filter: { source: "us" as SourceId, drain: "refunds" as DrainName }, ids: [] },
  ])("filters by $name", async ({ filter, ids }) => {
    const { archive, dir } = createStand();
    await archive.write([
      archiveEntry(0),
      archiveEntry(1, { source: "us" as SourceId }),
      archiveEntry(2, { drain: "refunds" as DrainName }),
      archiveEntry(3, { at: archivedAt + 1 }),
    ]);
    expect((await readArchive(dir, filter)).ids).toEqual(ids.map(idOf));
  });

  it("of a directory that is not there fails with its path", async () => {
    await expect(createArchiveReader("/nowhere/archive").files()).rejects.toMatchObject({
      code: "archive-unavailable",
      message:
        "expected to read the archive in /nowhere/archive, got no such directory (ENOENT); see archive.dir",
    });
  });
});
