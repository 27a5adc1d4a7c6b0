import type { Exchange } from "../http/exchange.ts";
import { EmulatorRefusal } from "../refusal.ts";

/** A natural number in the query, or what stands for it where it is not given. */
export function naturalOf<T>(
  { query }: Pick<Exchange, "query">,
  name: string,
  otherwise: T,
  max = Number.MAX_SAFE_INTEGER,
): number | T {
  const text = query.get(name);
  if (text === null) return otherwise;
  if (!/^\d{1,15}$/.test(text)) throw new EmulatorRefusal(400, `${name} must be a natural number: ${text}`);
  if (Number(text) > max) throw new EmulatorRefusal(400, `${name} must be at most ${max}: ${text}`);
  return Number(text);
}

/** The longest a request may be kept waiting: ten minutes, in real milliseconds. */
export const longestWaitMs = 600_000;

/** Whether the promise is fulfilled within so many real milliseconds. What it rejects with counts as not fulfilled. */
export async function within(
  waitMs: number,
  toCome: (signal: AbortSignal) => Promise<unknown>,
): Promise<boolean> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), waitMs);
  const over = new Promise<false>((resolve) => {
    deadline.signal.addEventListener("abort", () => resolve(false));
  });
  try {
    return await Promise.race([
      toCome(deadline.signal).then(
        () => true,
        () => false,
      ),
      over,
    ]);
  } finally {
    clearTimeout(timer);
    deadline.abort();
  }
}
