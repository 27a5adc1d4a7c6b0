import type { DrainConfig } from "./drains-document.ts";
import type { ErrorCode } from "./errors.ts";
import type { SourceId } from "./ids.ts";

/** What a document says of a drain. `paused`: whatever its mode. */
export type ToldMode = DrainConfig["mode"] | "paused";

export function toToldMode({ mode, paused }: Pick<DrainConfig, "mode" | "paused">): ToldMode {
  return paused ? "paused" : mode;
}

export interface ReplicaRecord {
  /** Host name and process, unique among the living. */
  readonly replica: string;
  readonly version: string;
  readonly documentHash: string;
  readonly adoptedAt: number;
  readonly rejected: string | null;
  /** Sources that it does not call now. Halts are its own; pauses bind all replicas, as far as it knows. */
  readonly resting: readonly {
    readonly source: SourceId;
    readonly state: "waiting" | "halted";
    readonly code: ErrorCode;
    /** Unix ms: since when it knows that. An announcement has it. */
    readonly since?: number;
  }[];
  /** Why it cannot write to the archive. Null or absent: it can, or has none. */
  readonly archive?: string | null;
  /** By the name of each drain, under the document that it works under. Absent: it does not tell. */
  readonly modes?: Readonly<Record<string, ToldMode>>;
  /** Unix ms, Redis time. */
  readonly seenAt: number;
}

/** The living daemons. A record vanishes 60 s after its last announcement. Fails with `redis-unavailable`. */
export interface Replicas {
  announce(record: Omit<ReplicaRecord, "seenAt">): Promise<void>;
  leave(replica: string): Promise<void>;
  all(): Promise<readonly ReplicaRecord[]>;
}
