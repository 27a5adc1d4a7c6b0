import { setTimeout as sleep } from "node:timers/promises";

/**
 * Asks again and again until the answer is not null, and resolves to it. Rejects when `signal` aborts, with
 * its reason, and with what the question throws.
 */
export async function waitUntil<Found>(
  ask: () => Promise<Found | null>,
  { everyMs, signal }: { readonly everyMs: number; readonly signal: AbortSignal },
): Promise<Found> {
  for (;;) {
    signal.throwIfAborted();
    const found = await ask();
    if (found !== null) return found;
    await sleep(everyMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

type Deadline = ReturnType<typeof createDeadline>;

export class DeadlinePassed extends Error {
  override readonly name = "DeadlinePassed";
}

/** False if the deadline passed before the end. Rejects for any other reason to end early. */
export async function isInTime(act: () => Promise<void>, { signal }: Deadline): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (error) {
    if (signal.reason instanceof DeadlinePassed) return false;
    signal.throwIfAborted();
    throw error;
  }
}

/**
 * Aborts with `outer`, and with a `DeadlinePassed` when the time is over.
 *
 * Not AbortSignal.any over AbortSignal.timeout: in Node 20 nothing holds that timeout, and once collected it
 * never fires.
 */
export function createDeadline(ms: number, outer: AbortSignal) {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new DeadlinePassed(`not done within ${ms / 1_000} s`)), ms);
  const follow = (): void => controller.abort(outer.reason);
  outer.addEventListener("abort", follow, { once: true });
  if (outer.aborted) follow();
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      clearTimeout(timer);
      outer.removeEventListener("abort", follow);
    },
  };
}
