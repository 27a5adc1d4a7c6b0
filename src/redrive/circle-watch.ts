import { RedriverError } from "../ports/errors.ts";
import type { ListPage } from "../ports/service.ts";

/**
 * A page may be empty and not the last: a service that filters what it has paged shows a million records without a match as so
 * many pages.
 */
const mostEmptyPages = 10_000;

/**
 * Looks at each page of one listing, in order; throws `listing-endless` when it goes in circles. Cursors say little: they may
 * stay the same while the listing moves on, and be new each time while it does not.
 */
export function createCircleWatch(): (page: ListPage) => void {
  const seen = new Set<string>();
  let emptyPages = 0;
  return ({ cursor, records }) => {
    if (cursor === undefined) return;
    emptyPages = records.length === 0 ? emptyPages + 1 : 0;
    if (emptyPages > mostEmptyPages) {
      throw new RedriverError(
        "listing-endless",
        `expected a page with records or the end of the listing, got ${emptyPages} pages without either`,
      );
    }
    const [first, last] = [records[0]?.["dlqId"], records.at(-1)?.["dlqId"]];
    // Without ids only the cursor tells pages apart.
    const position = JSON.stringify(first === undefined || last === undefined ? [cursor] : [first, last]);
    if (seen.has(position)) {
      throw new RedriverError("listing-endless", "the listing repeats a page, so it would never end");
    }
    seen.add(position);
  };
}
