import type { ErrorCode } from "./errors.ts";
import type { SourceId } from "./ids.ts";

/** What one running daemon announces; forgotten when it has not announced for a while. */
export interface ReplicaRecord {
  /** Host name and process, unique among the living. */
  readonly replica: string;
  readonly version: string;
  /** Of the document it works under. */
  readonly documentHash: string;
  /** Unix ms at which it adopted that document. */
  readonly adoptedAt: number;
  /** Why the file it sees now was not adopted; null when it was. */
  readonly rejected: string | null;
  /** Sources that it does not call now; rate limits and halts are each process's own. */
  readonly resting: readonly {
    readonly source: SourceId;
    readonly state: "waiting" | "halted";
    readonly code: ErrorCode;
  }[];
  /**
   * Why it cannot keep anything in the archive; null: it can, or there is none. Absent: announced by a
   * version that does not check.
   */
  readonly archive?: string | null;
  /** Unix ms, Redis time. */
  readonly seenAt: number;
}

/** The living daemons. A record vanishes 60 s after its last announcement. Fails with `redis-unavailable`. */
export interface Replicas {
  announce(record: Omit<ReplicaRecord, "seenAt">): Promise<void>;
  leave(replica: string): Promise<void>;
  all(): Promise<readonly ReplicaRecord[]>;
}
