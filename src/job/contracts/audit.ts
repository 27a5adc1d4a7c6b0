import type { DestinationName } from "../message/destination-names.ts";
import type { DrainName, SourceId } from "./ids.ts";
import type { LaneMove } from "./lanes.ts";

const laneRequests = ["lane-probe", "lane-reset"] as const;
const laneMoves = ["lane-halted", "lane-resumed", "lane-opened"] as const;
export const laneActs = [...laneRequests, ...laneMoves] as const;

/** A person decides these. The others follow from them, or from rules. */
export const personActs = [
  "release",
  "pause",
  "resume",
  "apply",
  "test-copy",
  "note",
  "quiet",
  "unquiet",
  "acknowledge",
  "unacknowledge",
  "show-content",
  "plan-make",
  "plan-stop",
  "plan-remove",
  ...laneRequests,
] as const;

export const auditActs = [
  "republish",
  "published",
  "drop",
  "park",
  "delete",
  "copy",
  ...personActs,
  ...laneMoves,
] as const;
export type AuditAct = (typeof auditActs)[number];

export const ofFailureNote = "failure:";

export interface AuditRecord {
  readonly dlqId: string;
  /** Null: no rule decided it. */
  readonly rule?: string | null;
  readonly reason?: string;
  /** Redrives, this one included. If the act does not republish: redrives made before. */
  readonly attempt?: number;
  readonly as?: string;
  /** The dead letter that this one came back from, if its lineage names one. */
  readonly parent?: string;
  /**
   * Names of the rebuild's losses, and of a declared double. Of what is `unworkable`, the error's code or
   * `workers-lost:` and how many. Of what a person discards, or an apply orders, `failure:` and the id of its
   * kind.
   */
  readonly notes?: readonly string[];
  /** Host with port of its destination. Absent on a `delete`, and if it was not known or the entry was full. */
  readonly host?: string;
  /** In a counted read: it stands for so many that are alike but for their ids. */
  readonly count?: number;
}

export type AuditLane = Omit<LaneMove, "drain" | "size">;

/**
 * One act: its kind, its dead letters, its actor and its reason. `published` follows the answer; `lane-halted`,
 * `lane-resumed` and `lane-opened` follow the move. All others are written before the act they name; `delete`
 * and `copy` later if Redis is away.
 */
export interface AuditEntry {
  /** Unix ms, by Redis TIME. */
  readonly at: number;
  readonly act: AuditAct;
  /** `daemon <replica>` or a person. */
  readonly by: string;
  readonly source: SourceId;
  /** Null: all drains of the source, or none. */
  readonly drain: DrainName | null;
  readonly passId?: string;
  readonly documentHash?: string;
  readonly why?: string;
  readonly lane?: AuditLane;
  /** Of a pause or its end, or of an apply that did nothing: the one destination or kind that it is about. */
  readonly host?: DestinationName;
  readonly forMs?: number;
  /** Of what an apply orders or discards: when it began, Unix ms by Redis TIME. It tells one apply from another. */
  readonly orderedAt?: number;
  /** In no particular order. Empty for acts on drains, kinds of failure and lanes, and for moves of lanes. */
  readonly records: readonly AuditRecord[];
}

export type NewAuditEntry = Omit<AuditEntry, "at">;

/** Told of each entry once; and of a fact that Redis did not take a second time, as `unwritten`. */
export type ObserveAudit = (entry: NewAuditEntry, state?: "unwritten") => void;

export interface AuditQuery {
  /** Only records of these dead letters, and of those that came back from them. */
  readonly dlqIds?: ReadonlySet<string>;
  readonly acts?: ReadonlySet<AuditAct>;
  readonly by?: (by: string) => boolean;
  /** True: an entry comes with time and act alone, at a hundredth. Not beside `dlqIds` and `drain`. */
  readonly skims?: (act: AuditAct) => boolean;
  /** One record with a count may stand for many that are alike but for their ids: for readers who only count. */
  readonly isCounted?: boolean;
  /** Includes acts on all drains of its source at once. */
  readonly drain?: DrainName;
  readonly since?: number;
  readonly until?: number;
  readonly order: "newest-first" | "oldest-first";
}

export function isAboutDrain(entry: Pick<AuditEntry, "act" | "drain">, drain: DrainName): boolean {
  return entry.drain === drain || (entry.drain === null && (entry.act === "pause" || entry.act === "resume"));
}

export const auditKeptMs = 30 * 86_400_000;

/**
 * The record of acts on one source's dead letters.
 *
 * Guarantees: an entry is kept 30 days, or until the audit has reached its size, in one place for all
 * replicas. It holds ids, names and reasons, never bodies, header values or tokens. An entry of more than 100
 * records is kept as several. An entry with a lost acknowledgement may appear twice.
 */
export interface Audit {
  /** Resolves when all is written. Fails with `redis-unavailable`; then the act must not happen. */
  append(entries: readonly NewAuditEntry[]): Promise<void>;
  /**
   * For acts that have happened, or must happen in any case. While Redis is away, this process holds the
   * newest 1,000 entries, and writes them with the next that succeed. Never fails.
   */
  record(entries: readonly NewAuditEntry[]): Promise<void>;
}

/** Reads page by page, as long as the caller asks. Fails with `redis-unavailable`. */
export interface AuditReader {
  read(query: AuditQuery): AsyncIterable<AuditEntry>;
  /** The dead letters of one message: this one, its ancestors, and those that came back from it. */
  lineageOf(dlqId: string): Promise<ReadonlySet<string>>;
  /** Unix ms: what was done before is not known any more, as the audit has reached its size. 0: it has not. */
  cutAt(): Promise<number>;
}
