import type { Clock } from "../../ports/clock.ts";
import { RedriverError } from "../../ports/errors.ts";

/** 100,000 records: fewer are listed to their end however slowly the service lets them be. */
const minPages = 1_000;

/**
 * How long one listing waits for the service, in all of its parts; what is done with its pages does not count. One that has taken
 * its time and is not at its end after 1,000 pages is taken for endless, because a service can make up records for ever.
 */
export interface ListingTime {
  /** Throws `listing-endless` in place of asking for a page that has no time left. */
  page<Page>(list: () => Promise<Page>): Promise<Page>;
  spentMs(): number;
}

export function createListingTime(clock: Pick<Clock, "monotonic">, mostMs: number): ListingTime {
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
