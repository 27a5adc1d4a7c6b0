import type { DrainName, SourceId } from "./ids.ts";
import type { LaneState, Origin } from "./lanes.ts";

export const auditActs = [
  "republish",
  "published",
  "drop",
  "park",
  "delete",
  "copy",
  "release",
  "pause",
  "resume",
  "apply",
  "lane-halted",
  "lane-resumed",
  "lane-opened",
] as const;
export type AuditAct = (typeof auditActs)[number];

/** One dead letter in an act. */
export interface AuditRecord {
  readonly dlqId: string;
  /** Null: no rule said so. */
  readonly rule?: string | null;
  readonly reason?: string;
  /** Redrives made with this one, or made before for what is not republished. */
  readonly attempt?: number;
  /** The message it was published as. */
  readonly as?: string;
  /** The dead letter it came back from, where its lineage says so. */
  readonly parent?: string;
  /** Names of what the rebuild lost, and of a declared double. */
  readonly notes?: readonly string[];
}

/** The move of a lane, in an act that is one. */
export interface AuditLane {
  readonly origin: Origin;
  readonly from: LaneState;
  readonly to: LaneState;
  /** Counts and statuses, and nothing of a message. */
  readonly why: string;
  /** Of the step that it was judged by. */
  readonly sent: number;
  readonly comeBacks: number;
}

/**
 * What was done, to which dead letters, by whom and why. `republish`, `drop`, `park`, `delete`, `copy`,
 * `release`, `pause`, `resume`, `apply` are written before the act they name; `published` follows the answer,
 * and `lane-halted`, `lane-resumed`, `lane-opened` the move.
 */
export interface AuditEntry {
  /** Unix ms, by the clock of what keeps the record (Redis). */
  readonly at: number;
  readonly act: AuditAct;
  /** `daemon <replica>` or a person. */
  readonly by: string;
  readonly source: SourceId;
  /** Null: all drains of the source, or none. */
  readonly drain: DrainName | null;
  readonly passId?: string;
  readonly documentHash?: string;
  /** A person's reason. */
  readonly why?: string;
  /** Of the moves of lanes. */
  readonly lane?: AuditLane;
  /** In no particular order. Empty for `pause` and `resume`, and for moves of lanes. */
  readonly records: readonly AuditRecord[];
}

/** An entry before it is written. The time is set by what keeps the record. */
export type NewAuditEntry = Omit<AuditEntry, "at">;

export interface AuditQuery {
  /** Only records of these dead letters, and of those that came back from them. */
  readonly dlqIds?: ReadonlySet<string>;
  /** Also what was done to all drains of its source at once. */
  readonly drain?: DrainName;
  /** Unix ms, inclusive. */
  readonly since?: number;
  readonly until?: number;
  readonly order: "newest-first" | "oldest-first";
}

/**
 * The record of acts on one source's dead letters. Guarantees: what is written is kept 30 days, or until the
 * record has reached its size, in one place for all replicas; it holds ids, names and reasons, never bodies,
 * header values or tokens. An entry of more than 100 records is kept as several. An entry whose
 * acknowledgement was lost may be there twice.
 */
export interface Audit {
  /** Resolves when all is written. Fails with `redis-unavailable`; then the act must not happen. */
  append(entries: readonly NewAuditEntry[]): Promise<void>;
  /**
   * For what has happened, or must happen all the same: tries to write now. While Redis is away the entries
   * are kept in this process (the newest 1,000) and written with the next that succeed. Never fails.
   */
  record(entries: readonly NewAuditEntry[]): Promise<void>;
}

/** Reads page by page; who has enough stops asking. Fails with `redis-unavailable`. */
export interface AuditReader {
  /** Entries with only those records that the query asks for. */
  read(query: AuditQuery): AsyncIterable<AuditEntry>;
  /** The dead letters of one message: this one, what it came back from, and what came back from it. */
  lineageOf(dlqId: string): Promise<ReadonlySet<string>>;
}
