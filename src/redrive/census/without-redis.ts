import type { SourceRuntime } from "../runtime.ts";

/**
 * A source whose listings need no answer from Redis: pages get this machine's time, and dates are taken as entry. Only for counting
 * and copies: a page with such a time must begin nothing.
 */
export function withoutRedis(source: SourceRuntime): SourceRuntime {
  const { ledger, book, clock } = source;
  return {
    ...source,
    ledger: { ...ledger, now: () => Promise.resolve({ at: clock.now(), epoch: "", sequence: 0 }) },
    book: { ...book, datesMean: () => Promise.resolve(null) },
  };
}
