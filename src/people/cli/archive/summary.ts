import type { ArchiveDamage, ArchiveEntry, ArchiveReader } from "../../../job/contracts/archive.ts";
import { toSecond } from "../../operations/phrases.ts";
import { toRows } from "../output/fields-text.ts";
import { toTable } from "../output/table.ts";

export interface ArchiveCount {
  /** Null: no drain selected them. */
  readonly drain: string | null;
  readonly why: ArchiveEntry["why"];
  entries: number;
}

export interface ArchiveFileSummary {
  readonly file: string;
  readonly bytes: number;
  entries: number;
  /** Unix ms of its first and last entry by time; null if it has none. */
  from: number | null;
  to: number | null;
  readonly counts: ArchiveCount[];
  readonly damages: Omit<ArchiveDamage, "file">[];
}

/** Reads the whole archive, file by file. The size of a file that appears meanwhile is not known (0). */
export async function summariseArchive(reader: ArchiveReader): Promise<readonly ArchiveFileSummary[]> {
  const files = new Map<string, ArchiveFileSummary>();
  const of = (file: string, bytes = 0): ArchiveFileSummary => {
    const one = files.get(file) ?? { file, bytes, entries: 0, from: null, to: null, counts: [], damages: [] };
    files.set(file, one);
    return one;
  };
  for (const { file, bytes } of await reader.files()) of(file, bytes);
  const entries = reader.entries({}, ({ file, ...damage }) => of(file).damages.push(damage));
  for await (const { file, at, drain, why } of entries) {
    const one = of(file);
    one.entries += 1;
    one.from = Math.min(one.from ?? at, at);
    one.to = Math.max(one.to ?? at, at);
    add(one.counts, { drain, why, entries: 1 });
  }
  return [...files.values()];
}

export function toArchiveText(columns: number, files: readonly ArchiveFileSummary[]): string {
  const perFile = toTable(columns, files, {
    file: ({ file }) => file,
    bytes: ({ bytes }) => bytes,
    entries: ({ entries }) => entries,
    from: ({ from }) => toAt(from),
    to: ({ to }) => toAt(to),
    damage: ({ damages }) => [...new Set(damages.map(({ kind }) => kind))].join(", ") || "-",
  });
  const counts: ArchiveCount[] = [];
  for (const file of files) for (const count of file.counts) add(counts, count);
  const rows = counts.map((count) => ({ ...count }));
  return rows.length === 0 ? perFile : `${perFile}\n${toRows(columns, rows)}`;
}

function add(counts: ArchiveCount[], count: ArchiveCount): void {
  const same = counts.find(({ drain, why }) => drain === count.drain && why === count.why);
  if (same === undefined) counts.push({ ...count });
  else same.entries += count.entries;
}

function toAt(at: number | null): string {
  return at === null ? "-" : toSecond(at);
}
