import { setTimeout as sleep } from "node:timers/promises";

/**
 * Asks again and again until the answer is not null, and resolves to it. Rejects when `signal` aborts, with its reason, and
 * with what the question throws.
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
