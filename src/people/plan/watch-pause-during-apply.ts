import type { Clock } from "../../job/contracts/clock.ts";

const checkEveryMs = 1_000;

export type PauseWatch = ReturnType<typeof watchPause>;

/** Until there is a pause, or it is ended. No answer is no pause: apply asks again before it acts. */
export function watchPause(clock: Pick<Clock, "sleep">, pausedBy: () => Promise<string | null>) {
  const paused = new AbortController();
  const ended = new AbortController();
  let why: string | null = null;
  const watch = async (): Promise<void> => {
    while (why === null) {
      await clock.sleep(checkEveryMs, ended.signal);
      why = await pausedBy().catch(() => null);
    }
    paused.abort();
  };
  // Its end rejects its sleep.
  void watch().catch(() => undefined);
  return {
    /** Aborted once there was a pause, also if it is over again. */
    signal: paused.signal,
    why: () => why,
    end: () => ended.abort(),
  };
}
