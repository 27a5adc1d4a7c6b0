import type { Clock } from "../../ports/clock.ts";
import type { Ledger, LedgerStamp } from "../../ports/ledger.ts";

/** An older time is only stricter: a page ages from it. */
const maxHeardMs = 5_000;

/**
 * The ledger's time from before now, as pages need it before their GET. It is the time of the last answer that
 * this process heard, if that is at most 5 s and a tenth of a page's life old by both clocks. Otherwise the ledger
 * is asked.
 */
export function createLedgerTime(clock: Pick<Clock, "now" | "monotonic">) {
  let heard = { at: 0, monotonic: -Infinity, wall: 0 };
  return {
    hear({ at }: LedgerStamp): void {
      heard = { at, monotonic: clock.monotonic(), wall: clock.now() };
    },
    async fromBeforeNow(ledger: Ledger): Promise<number> {
      const maxMs = Math.min(maxHeardMs, ledger.limits.maxPageAgeMs / 10);
      const isFresh =
        clock.monotonic() - heard.monotonic <= maxMs && Math.abs(clock.now() - heard.wall) <= maxMs;
      return isFresh ? heard.at : (await ledger.now()).at;
    },
  };
}
