import { setTimeout } from "node:timers/promises";

/** The longest a request may be kept waiting: ten minutes, in real milliseconds. */
export const maxWaitMs = 600_000;

/** Whether the promise is fulfilled within so many real milliseconds; a rejection counts as not. */
export async function within(
  waitMs: number,
  toCome: (signal: AbortSignal) => Promise<unknown>,
): Promise<boolean> {
  const ended = new AbortController();
  const { signal } = ended;
  try {
    const came = toCome(signal).then(() => true);
    return await Promise.race([came, setTimeout(waitMs, false, { signal })]);
  } catch {
    return false;
  } finally {
    ended.abort();
  }
}
