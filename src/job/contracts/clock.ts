export interface Clock {
  /** Unix milliseconds of this machine. */
  now(): number;
  /** Milliseconds that only grow, also while the process is stopped. Only differences have a meaning. */
  monotonic(): number;
  /** Resolves after `ms`. Rejects with the signal's reason if it aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** A number in [0, 1), for jitter. */
  random(): number;
}

/** Sleeps for `ms`. False if the signal ended the sleep. */
export async function sleptFully(
  { sleep }: Pick<Clock, "sleep">,
  ms: number,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await sleep(ms, signal);
    return true;
  } catch {
    return false;
  }
}
