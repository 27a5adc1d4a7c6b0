import type { DestinationName } from "../message/destination-names.ts";
import type { DrainName } from "./ids.ts";

/**
 * A person's pause, which outranks the document. All replicas obey it at the next begin. Without a `host` it
 * holds whole drains back. With one, nothing new is begun for that destination; what is in doubt is still
 * reconciled, and drops and deletes go on. `failure:<id>` as a host is a kind of failure.
 */
export interface PauseRecord {
  readonly drain: DrainName | "*";
  readonly host?: DestinationName;
  readonly reason: string;
  readonly by: string;
  readonly at: number;
  /** It ends by itself then: Redis time, Unix ms. Absent: it stays until it is resumed. */
  readonly until?: number;
}

export type HostPause = PauseRecord & { readonly host: DestinationName };

/** The pause that stops this whole drain, if any. */
export function pauseOf(pauses: readonly PauseRecord[], drain: string): PauseRecord | undefined {
  return pauses.find((pause) => pause.host === undefined && isOf(pause, drain));
}

export function hostPausesOf(pauses: readonly PauseRecord[], drain: string): readonly HostPause[] {
  return bindingPausesOf(pauses, drain).filter((pause): pause is HostPause => pause.host !== undefined);
}

export function bindingPausesOf(pauses: readonly PauseRecord[], drain: string): readonly PauseRecord[] {
  return pauses.filter((pause) => isOf(pause, drain));
}

function isOf(pause: PauseRecord, drain: string): boolean {
  return pause.drain === drain || pause.drain === "*";
}

/** The drains and the destination that a pause is about: it has one place, and another one replaces it. */
export type PauseTarget = Pick<PauseRecord, "drain" | "host">;

export interface PauseBook {
  /** `forMs`: it ends by itself after so long, by Redis time. Answers when that is. */
  pause(record: Omit<PauseRecord, "until">, forMs?: number): Promise<PauseRecord>;
  resume(target: PauseTarget): Promise<boolean>;
  /** Those in force, the oldest first. Those that are over are forgotten. */
  all(): Promise<readonly PauseRecord[]>;
}
