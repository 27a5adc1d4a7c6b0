import type { Clock } from "../contracts/clock.ts";
import type { Ledger, LedgerStamp } from "../contracts/ledger.ts";

/** An older time is only stricter: a page ages from it. */
const maxLearnedMs = 5_000;

/**
 * The ledger's time from before now, as pages need it before their GET: that of the last answer to this process, if
 * it is at most 5 s and a tenth of a page's life old by both clocks. Else the ledger is asked.
 */
export function createLedgerTime(clock: Pick<Clock, "now" | "monotonic">) {
  let learned = { at: 0, monotonic: -Infinity, wall: 0 };
  return {
    learn({ at }: LedgerStamp): void {
      learned = { at, monotonic: clock.monotonic(), wall: clock.now() };
    },
    async fromBeforeNow(ledger: Ledger): Promise<number> {
      const maxMs = Math.min(maxLearnedMs, ledger.limits.maxPageAgeMs / 10);
      const isFresh =
        clock.monotonic() - learned.monotonic <= maxMs && Math.abs(clock.now() - learned.wall) <= maxMs;
      return isFresh ? learned.at : (await ledger.now()).at;
    },
  };
}
