import { BoundedSet } from "../../bounded-map.ts";
import { RedriverError } from "../../ports/errors.ts";
import type { ListPage } from "../../ports/service.ts";

/**
 * Pages in a row without a new record. A page may be empty without being the last: a service that filters after paging shows
 * 100,000 records without a match as 1,000 such pages. No service is known to do that. A listing that never ends shows as many in
 * a minute.
 */
const maxBarrenPages = 1_000;
/** A lower bound for slow pages: such a listing must not keep its place for an hour. */
const maxSlowBarrenPages = 100;
const maxBarrenMs = 300_000;
/**
 * Records in a row that were listed before: 20 full pages. If cursors are positions, records that enter at the head of a listing
 * shift its pages, so a few records come twice.
 */
const maxRecordsAgain = 2_000;
/** 20 bytes each. A loop of more records is recognised by a page's first and last record, or by its time. */
const maxKnown = 100_000;

/**
 * Checks each page of one listing, in order. Throws `listing-endless` if the listing loops. Cursors prove little: they may stay
 * the same while the listing moves on, and change while it does not. `spentMs`: the time the listing has taken so far.
 */
export function createCursorLoopCheck(): (page: ListPage, spentMs?: number) => void {
  const seen = new Set<string>();
  const known = new BoundedSet<number>(maxKnown);
  let barrenPages = 0;
  let barrenSinceMs = 0;
  let recordsAgain = 0;

  /** Remembers these ids and answers how many are new. */
  function learn(ids: readonly string[]): number {
    let fresh = 0;
    for (const id of ids) {
      const hash = hashOf(id);
      if (known.has(hash)) continue;
      fresh += 1;
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
    // Without ids only the cursor distinguishes pages.
    const position = JSON.stringify(first === undefined || last === undefined ? [cursor] : [first, last]);
    if (seen.has(position)) {
      throw new RedriverError("listing-endless", "the listing repeats a page, so it would never end");
    }
    seen.add(position);
  };
}

/** FNV-1a, 32 bits. Two ids with one hash make one record look known, among thousands that decide. */
function hashOf(id: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < id.length; index += 1) {
    hash = Math.imul(hash ^ id.charCodeAt(index), 0x01000193);
  }
  return hash;
}
