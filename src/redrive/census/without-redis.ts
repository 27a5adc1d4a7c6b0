import type { SourceRuntime } from "../runtime.ts";

/**
 * A source whose listings ask Redis nothing that they need an answer to: pages are read at this machine's time, and dates are taken to mean entry.
 * Only for looking and for copies: a page of such a time must begin nothing.
 */
export function withoutRedis(source: SourceRuntime): SourceRuntime {
  const { ledger, book, clock } = source;
  return {
    ...source,
    ledger: { ...ledger, now: () => Promise.resolve({ at: clock.now(), epoch: "", sequence: 0 }) },
    book: { ...book, datesMean: () => Promise.resolve(null) },
  };
}
