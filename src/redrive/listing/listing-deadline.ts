import type { Clock } from "../../ports/clock.ts";
import { RedriverError } from "../../ports/errors.ts";

/** 100,000 records. A listing of fewer goes to its end, however slow the service is. */
const minPages = 1_000;

/**
 * How long one listing waits for the service, all parts together. Work on its pages does not count. A listing past its time and
 * past 1,000 pages counts as endless, because a faulty service can list for ever.
 */
export interface ListingDeadline {
  /** Lists one page. Throws `listing-endless` instead if no time is left. */
  page<Page>(list: () => Promise<Page>): Promise<Page>;
  spentMs(): number;
}

export function createListingDeadline(clock: Pick<Clock, "monotonic">, mostMs: number): ListingDeadline {
  let spentMs = 0;
  let pages = 0;
  return {
    async page(list) {
      if (pages >= minPages && spentMs > mostMs) {
        throw new RedriverError(
          "listing-endless",
          `expected the end of the listing within ${Math.round(mostMs / 60_000)} min, got ${pages} pages and no end`,
        );
      }
      const startedAt = clock.monotonic();
      try {
        return await list();
      } finally {
        spentMs += clock.monotonic() - startedAt;
        pages += 1;
      }
    },
    spentMs: () => spentMs,
  };
}
