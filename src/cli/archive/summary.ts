import type { ArchiveDamage, ArchiveEntry, ArchiveReader } from "../../ports/archive.ts";
import { toTable } from "../output/table.ts";

/** How many entries one drain has in a file for one reason. */
export interface ArchiveCount {
  /** Null: no drain selected them. */
  readonly drain: string | null;
  readonly why: ArchiveEntry["why"];
  readonly entries: number;
}

export interface ArchiveFileSummary {
  readonly file: string;
  readonly bytes: number;
  readonly entries: number;
  /** Unix ms of its first and last entry by time; null where it has none. */
  readonly from: number | null;
  readonly to: number | null;
  readonly counts: readonly ArchiveCount[];
  readonly damages: readonly Omit<ArchiveDamage, "file">[];
}

/** Reads the whole archive, file by file. A file that comes into being meanwhile is there too, with its size not known (0). */
export async function summariseArchive(reader: ArchiveReader): Promise<readonly ArchiveFileSummary[]> {
  const building = new Map<string, Building>();
  for (const { file, bytes } of await reader.files()) building.set(file, begin(bytes));
  const of = (file: string): Building => {
    const found = building.get(file) ?? begin(0);
    building.set(file, found);
    return found;
  };
  const entries = reader.entries({}, ({ file, kind, why }) => of(file).damages.push({ kind, why }));
  for await (const { file, at, drain, why } of entries) {
    const one = of(file);
    one.from = Math.min(one.from, at);
    one.to = Math.max(one.to, at);
    add(one.counts, { drain, why, entries: 1 });
  }
  return [...building].map(([file, { bytes, from, to, counts, damages }]) => {
    const total = [...counts.values()].reduce((sum, { entries: more }) => sum + more, 0);
    const range = total === 0 ? { from: null, to: null } : { from, to };
    return { file, bytes, entries: total, ...range, counts: [...counts.values()], damages };
  });
}

export function toArchiveText(files: readonly ArchiveFileSummary[]): string {
  const perFile = toTable(
    ["file", "bytes", "entries", "from", "to", "damage"],
    files.map(({ file, bytes, entries, from, to, damages }) => [
      file,
      bytes,
      entries,
      toTime(from),
      toTime(to),
      damages.map(({ kind }) => kind).join(", ") || "-",
    ]),
  );
  const counts = new Map<string, ArchiveCount>();
  for (const file of files) for (const count of file.counts) add(counts, count);
  if (counts.size === 0) return perFile;
  const perDrain = toTable(
    ["drain", "why", "entries"],
    [...counts.values()].map(({ drain, why, entries }) => [drain ?? "-", why, entries]),
  );
  return `${perFile}\n${perDrain}`;
}

interface Building {
  readonly bytes: number;
  from: number;
  to: number;
  readonly counts: Map<string, ArchiveCount>;
  readonly damages: Omit<ArchiveDamage, "file">[];
}

function begin(bytes: number): Building {
  return {
    bytes,
    from: Number.POSITIVE_INFINITY,
    to: Number.NEGATIVE_INFINITY,
    counts: new Map(),
    damages: [],
  };
}

function add(counts: Map<string, ArchiveCount>, { drain, why, entries }: ArchiveCount): void {
  const key = JSON.stringify([drain, why]);
  counts.set(key, { drain, why, entries: (counts.get(key)?.entries ?? 0) + entries });
}

function toTime(at: number | null): string {
  return at === null ? "-" : new Date(at).toISOString();
}
