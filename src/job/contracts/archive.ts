import type { DlqId, RawRecord } from "../message/dead-letter.ts";
import type { DrainName, SourceId } from "./ids.ts";

export const archiveReasons = ["dropped", "discarded", "near-expiry"] as const;

export type ArchiveReason = (typeof archiveReasons)[number];

export interface ArchiveEntry {
  readonly at: number;
  readonly source: SourceId;
  /** Null: no drain selects it. */
  readonly drain: DrainName | null;
  readonly why: ArchiveReason;
  readonly rule: string | null;
  readonly dlqId: DlqId;
  readonly record: RawRecord;
}

export interface ArchiveProblem {
  readonly why: string;
  /** The next try comes later. Nothing is begun that needs a write: its intent would only fill the audit. */
  readonly isResting: boolean;
}

/**
 * Copies dead letters before they are deleted or expire.
 *
 * Guarantees: when `write` resolves, all of these entries are whole on disk and survive a crash of process
 * and machine (file and directory are synced). A crash in the middle leaves every earlier entry readable.
 * Each process has files of its own. Fails with RedriverError `archive-unavailable`; then nothing may be
 * deleted that relies on it. Not part of this contract: replication of the volume.
 */
export interface Archive {
  /** Takes at least one entry. Answers the file (a name inside the archive directory) that holds them. */
  write(entries: readonly [ArchiveEntry, ...ArchiveEntry[]]): Promise<{ readonly file: string }>;
  /** Why the last write failed; null: it did not, or long ago. */
  problem(): ArchiveProblem | null;
  close(): Promise<void>;
}

export interface ArchiveVolume {
  /** `memory` ends with the machine or the pod, `container` with the container. `other` seems to last. */
  readonly kind: "memory" | "container" | "other";
  readonly fileSystem: string;
}

export type DeclaredVolume = "durable" | "ephemeral" | "undeclared";

export interface ArchiveFile {
  readonly file: string;
  readonly bytes: number;
  /** Unix ms. */
  readonly changedAt: number;
}

export interface ArchiveFilter {
  readonly source?: SourceId;
  readonly drain?: DrainName;
  readonly dlqIds?: readonly string[];
  /** Time of archiving: Unix ms, inclusive. */
  readonly since?: number;
  readonly until?: number;
}

export interface ArchiveDamage {
  readonly file: string;
  /** `torn`: a file's end that a process left or writes now. `broken`: once whole, or unreadable. */
  readonly kind: "torn" | "broken";
  readonly why: string;
  /** How many are lost. Null: not known. */
  readonly entries: number | null;
}

/** The dead letters of a drain that the archive alone has, as a plan lists them. */
export interface ArchivedLetters {
  readonly keptForMs: number;
  /** At least one page; each record once. Throws `archive-unavailable`, and `redis-unavailable`. */
  pages(): AsyncIterable<{ readonly records: readonly RawRecord[]; readonly isLast: boolean }>;
  /** As the first pages met it. What it hides is in no page, nor is what no checksum proves. */
  damages(): readonly ArchiveDamage[];
  /** By the audit, of a record of a page that the ledger has forgotten. `unknown`: the audit does not reach so far back. */
  wasPublished(dlqId: DlqId): "no" | "yes" | "unknown";
}

export interface ReadEntry extends ArchiveEntry {
  readonly file: string;
  /** The part of the file that it is in is damaged, so no checksum proves that it is as it was written. */
  readonly isDoubtful?: true;
}

/**
 * Reads the entries of every process, file by file, oldest first. An entry may appear twice. Damage is reported and
 * skipped: everything before and after it is read. Fails with `archive-unavailable` if the directory cannot be listed.
 */
export interface ArchiveReader {
  files(): Promise<readonly ArchiveFile[]>;
  entries(filter: ArchiveFilter, onDamage: (damage: ArchiveDamage) => void): AsyncIterable<ReadEntry>;
}
