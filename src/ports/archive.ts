import type { DlqId, RawRecord } from "../message/dead-letter.ts";
import type { DrainName, SourceId } from "./ids.ts";

/** One dead letter kept: everything that was listed of it, and why. */
export interface ArchiveEntry {
  /** Unix ms. */
  readonly at: number;
  readonly source: SourceId;
  /** Null: no drain selects it. */
  readonly drain: DrainName | null;
  readonly why: "dropped" | "near-expiry";
  readonly rule: string | null;
  readonly dlqId: DlqId;
  readonly record: RawRecord;
}

/**
 * Keeps dead letters before they are deleted or expire. Guarantees: when `write` resolves, all of these
 * entries are whole on disk and survive a crash of process and machine (file and directory are synced); a
 * crash in the middle leaves every earlier entry readable. Each process has files of its own. Fails with
 * RedriverError `archive-unavailable`; then nothing may be deleted that relies on it. Not part of this
 * contract: replication of the volume.
 */
export interface Archive {
  /** At least one entry; answers the file (a name inside the archive directory) that holds them. */
  write(entries: readonly [ArchiveEntry, ...ArchiveEntry[]]): Promise<{ readonly file: string }>;
  close(): Promise<void>;
}

/** What an archive's directory is on. */
export interface ArchiveVolume {
  /** `memory` ends with the machine or the pod, `container` with the container; `other` seems to last. */
  readonly kind: "memory" | "container" | "other";
  /** Its name, or the system's number of it. */
  readonly fileSystem: string;
}

/** What the document declares of the volume: that it lasts, or that it need not. */
export type DeclaredVolume = "durable" | "ephemeral" | "undeclared";

/**
 * `unfit`: nothing may be deleted that relies on it. `doubtful`: it ends with a container, and whether that
 * matters is not known: outside of a pod, a developer's machine may be one.
 */
export function judgeVolume({ kind }: ArchiveVolume, declared: DeclaredVolume): "fit" | "doubtful" | "unfit" {
  if (declared === "ephemeral") return "fit";
  switch (kind) {
    case "memory":
      return "unfit";
    case "container":
      return declared === "durable" ? "unfit" : "doubtful";
    case "other":
      return "fit";
  }
}

/** What is wrong with it, for a person, with the keys that change it. */
export function toVolumeComplaint({ kind, fileSystem }: ArchiveVolume, dir: string): string {
  const ends = kind === "memory" ? "is in memory" : "ends with its container";
  return `expected the archive in ${dir} to be on a volume that lasts, got ${fileSystem}, which ${ends}; mount a volume there, or accept this one with archive.volume: ephemeral`;
}

export interface ArchiveFile {
  readonly file: string;
  readonly bytes: number;
  /** Unix ms of the newest change. */
  readonly changedAt: number;
}

/** Entries for which all of these hold. */
export interface ArchiveFilter {
  readonly source?: SourceId;
  readonly drain?: DrainName;
  readonly dlqIds?: readonly string[];
  /** Unix ms, inclusive, of when it was archived. */
  readonly since?: number;
  readonly until?: number;
}

export interface ArchiveDamage {
  readonly file: string;
  /**
   * `torn`: the file's end, as a process that was killed leaves it, or one that is writing just now; nothing
   * that `write` promised is missing. `broken`: something that was whole once, or a file that cannot be read.
   */
  readonly kind: "torn" | "broken";
  readonly why: string;
}

/**
 * Reads what any process kept, file by file, oldest first; an entry may be there twice. What is damaged is
 * reported and passed over: everything before it and behind it is read. Fails with `archive-unavailable`
 * where the directory cannot be listed.
 */
export interface ArchiveReader {
  files(): Promise<readonly ArchiveFile[]>;
  entries(
    filter: ArchiveFilter,
    onDamage: (damage: ArchiveDamage) => void,
  ): AsyncIterable<ArchiveEntry & { readonly file: string }>;
}

/**
 * Which dead letters near their expiry have been copied already, shared by all replicas. Guarantees: what was
 * recorded is known for as long as somebody asks about it from time to time, and forgotten by itself after
 * that. Losing it costs a second copy. Fails with `redis-unavailable`, unless it remembers for its process
 * what it could not read or note.
 */
export interface CopyBook {
  /** Those of `dlqIds` that are not known to be copied. */
  missing(dlqIds: readonly DlqId[]): Promise<readonly DlqId[]>;
  copied(dlqIds: readonly DlqId[]): Promise<void>;
}
