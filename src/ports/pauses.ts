import type { DrainName } from "./ids.ts";

/** A person's pause, which outranks the document. All replicas obey it at the next begin. */
export interface PauseRecord {
  readonly drain: DrainName | "*";
  readonly reason: string;
  readonly by: string;
  /** Unix ms. */
  readonly at: number;
}

/** The pause that stops this drain, if any. */
export function pauseOf(pauses: readonly PauseRecord[], drain: string): PauseRecord | undefined {
  return pauses.find((pause) => pause.drain === drain || pause.drain === "*");
}

export interface PauseBook {
  pause(record: PauseRecord): Promise<void>;
  resume(drain: DrainName | "*"): Promise<boolean>;
  all(): Promise<readonly PauseRecord[]>;
}
