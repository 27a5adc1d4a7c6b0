import { readFileSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { onTestFinished } from "vitest";
import { createArchive, type ArchiveSettings } from "../../src/job/archive/archive-writer.ts";
import { createArchiveReader } from "../../src/job/archive/archive-reader.ts";
import { toFileName } from "../../src/job/archive/file-name.ts";
import type { DlqId } from "../../src/job/message/dead-letter.ts";
import type { ArchiveDamage, ArchiveEntry, ArchiveFilter } from "../../src/job/contracts/archive.ts";
import type { RedriverError } from "../../src/job/contracts/errors.ts";
import type { DrainName, SourceId } from "../../src/job/contracts/ids.ts";
import { createFolder } from "./command.ts";
import { rawRecord } from "./letters.ts";

export const dayMs = 86_400_000;
/** When entries of these tests are archived, Unix ms. */
export const archivedAt = 1_760_000_000_000;

/** `n` is the sequence part of its dlqId. */
export function archiveEntry(n: number, fields: Partial<ArchiveEntry> = {}): ArchiveEntry {
  const dlqId = `${archivedAt - dayMs}-${n}` as DlqId;
  return {
    at: archivedAt,
    source: "eu" as SourceId,
    drain: "orders" as DrainName,
    why: "dropped",
    rule: "too-old",
    dlqId,
    record: rawRecord({ dlqId, body: `body of ${n}` }),
    ...fields,
  };
}

/** An archive in a folder of one test, closed with it. */
export function createStand(settings: Partial<ArchiveSettings> = {}) {
  const dir = settings.dir ?? join(createFolder().path, "archive");
  const told: RedriverError[] = [];
  const now = settings.now ?? (() => Date.now());
  const archive = createArchive({
    dir,
    keepMs: 30 * dayMs,
    owner: "pod-0",
    pid: 7,
    now,
    otherNow: () => Promise.resolve(now()),
    report: (problem) => told.push(problem),
    ...settings,
  });
  onTestFinished(() => archive.close());
  return { dir, archive, told };
}

export async function readArchive(dir: string, filter: ArchiveFilter = {}) {
  const damages: ArchiveDamage[] = [];
  const entries = [];
  const found = createArchiveReader(dir).entries(filter, (damage) => damages.push(damage));
  for await (const entry of found) entries.push(entry);
  return { entries, ids: entries.map(({ dlqId }): string => dlqId), damages };
}

export const archiveFiles = (dir: string): readonly string[] =>
  readdirSync(dir)
    .filter((name) => name.endsWith(".ndjson.gz"))
    .toSorted();

/** The text of a file as `zcat` would give it; throws where it is not whole. */
export function unpack(dir: string, file: string): string {
  return gunzipSync(readFileSync(join(dir, file))).toString("utf8");
}

/** A file of another process, that was changed last at `atMs`. */
export function oldFile(dir: string, name: string, atMs: number): string {
  writeFileSync(join(dir, name), "x");
  utimesSync(join(dir, name), atMs / 1_000, atMs / 1_000);
  return name;
}

export function nameAt(at: number): string {
  return toFileName(at, { owner: "pod-1", pid: 1 }, 1);
}
