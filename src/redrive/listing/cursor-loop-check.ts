import { RedriverError } from "../../ports/errors.ts";
import type { ListPage } from "../../ports/service.ts";

/**
 * Pages in a row without any record that is new. A page may be empty and not the last: a service that filters what it has
 * paged shows 100,000 records without a match as so many pages. No service is known to do that; one whose listing never ends
 * shows as many in a minute.
 */
const maxBarrenPages = 1_000;
/** Fewer are too many where they have taken so long: one such listing must not keep its place for an hour. */
const maxSlowBarrenPages = 100;
const maxBarrenMs = 300_000;
/**
 * Records in a row that were listed before: 20 full pages. Where cursors are positions, what enters at the head of a listing
 * shifts the pages, so that a few records come twice.
 */
const maxRecordsAgain = 2_000;
/** 20 bytes each. What repeats after more records than this is known by its first and last, or by the time it takes. */
const maxKnown = 100_000;

/**
 * Looks at each page of one listing, in order; throws `listing-endless` when it goes in circles. Cursors say little: they may
 * stay the same while the listing moves on, and be new each time while it does not. `spentMs`: what the listing has taken so
 * far.
 */
export function createCursorLoopCheck(): (page: ListPage, spentMs?: number) => void {
  const seen = new Set<string>();
  const known = new Set<number>();
  let barrenPages = 0;
  let barrenSinceMs = 0;
  let recordsAgain = 0;

  /** How many of these were not listed before, as far as is known. */
  function learn(ids: readonly string[]): number {
    let fresh = 0;
    for (const id of ids) {
      const hash = hashOf(id);
      if (known.has(hash)) continue;
      fresh += 1;
      if (known.size >= maxKnown) known.clear();
      known.add(hash);
    }
    return fresh;
  }

  return ({ cursor, records }, spentMs = 0) => {
    if (cursor === undefined) return;
    const ids = records.flatMap(({ dlqId }) => (typeof dlqId === "string" ? [dlqId] : []));
    if (learn(ids) > 0) {
      barrenPages = 0;
      recordsAgain = 0;
      barrenSinceMs = spentMs;
    } else {
      barrenPages += 1;
      recordsAgain += ids.length;
    }
    const isSlow = barrenPages > maxSlowBarrenPages && spentMs - barrenSinceMs > maxBarrenMs;
    if (barrenPages > maxBarrenPages || isSlow) {
      throw new RedriverError(
        "listing-endless",
        `expected a record that is new or the end of the listing, got ${barrenPages} pages without either`,
      );
    }
    if (recordsAgain > maxRecordsAgain) {
      throw new RedriverError(
        "listing-endless",
        `the listing repeats its records: ${recordsAgain} in a row were listed before`,
      );
    }
    const [first, last] = [ids[0], ids.at(-1)];
    // Without ids only the cursor tells pages apart.
    const position = JSON.stringify(first === undefined || last === undefined ? [cursor] : [first, last]);
    if (seen.has(position)) {
      throw new RedriverError("listing-endless", "the listing repeats a page, so it would never end");
    }
    seen.add(position);
  };
}

/** FNV-1a, 32 bits. Two ids that share a hash make one record look as if it were known, of thousands that decide. */
function hashOf(id: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < id.length; index += 1) {
    hash = Math.imul(hash ^ id.charCodeAt(index), 0x01000193);
  }
  return hash;
}
