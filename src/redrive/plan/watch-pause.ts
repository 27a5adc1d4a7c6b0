import type { Clock } from "../../ports/clock.ts";

/** A pause that comes while an apply waits or publishes. */
export interface PauseWatch {
  /** Aborted once there was a pause, also if it is over again. */
  readonly signal: AbortSignal;
  /** Null while there was none. */
  why(): string | null;
  end(): void;
}

const lookEveryMs = 1_000;

/** Asks until there is a pause, or it is ended. No answer is no pause: apply asks again before it acts. */
export function watchPause(clock: Pick<Clock, "sleep">, pausedBy: () => Promise<string | null>): PauseWatch {
  const paused = new AbortController();
  const ended = new AbortController();
  let why: string | null = null;
  const watch = async (): Promise<void> => {
    while (why === null) {
      await clock.sleep(lookEveryMs, ended.signal);
      why = await pausedBy().catch(() => null);
    }
    paused.abort();
  };
  // Ends by being ended, which rejects its sleep.
  void watch().catch(() => undefined);
  return { signal: paused.signal, why: () => why, end: () => ended.abort() };
}
