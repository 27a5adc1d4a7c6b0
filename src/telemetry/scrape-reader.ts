import type { Clock } from "../ports/clock.ts";

/** Below every scrape timeout in use (Prometheus: 10 s). */
const timeoutMs = 2_000;
/** Several scrapers at once cost one read. */
const maxAgeMs = 1_000;

/**
 * Reads facts for a scrape: within 2 s, at most once a second, one read at a time. Null when they could not be read;
 * never rejects.
 */
export function createScrapeReader<Facts>(
  read: () => Promise<Facts | null>,
  clock: Pick<Clock, "monotonic" | "sleep">,
): () => Promise<Facts | null> {
  let underWay: Promise<Facts | null> | null = null;
  let latest: { readonly facts: Facts | null; readonly at: number } | null = null;

  async function readOnce(): Promise<Facts | null> {
    try {
      const facts = await read();
      latest = { facts, at: clock.monotonic() };
      return facts;
    } catch {
      latest = { facts: null, at: clock.monotonic() };
      return null;
    } finally {
      underWay = null;
    }
  }

  return async () => {
    if (latest !== null && clock.monotonic() - latest.at < maxAgeMs) return latest.facts;
    underWay ??= readOnce();
    const answered = new AbortController();
    const late = clock.sleep(timeoutMs, answered.signal).then(
      () => null,
      () => null,
    );
    const facts = await Promise.race([underWay, late]);
    answered.abort();
    return facts;
  };
}
