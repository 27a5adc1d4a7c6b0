/** Ends with `listing-endless` what loops, shows nothing new for too long, or exceeds its time. */
import { BoundedSet } from "../../bounded-map.ts";
import type { Clock } from "../contracts/clock.ts";
import { RedriverError } from "../contracts/errors.ts";
import type { ListPage } from "../contracts/service.ts";

/** 100,000 records. A listing of fewer goes to its end, however slow the service is. */
const minPages = 1_000;

export type ListingDeadline = ReturnType<typeof createListingDeadline>;

/** How long one listing waits for the service. Past its time and 1,000 pages it counts as endless. */
export function createListingDeadline(clock: Pick<Clock, "monotonic">, maxMs: number) {
  let spentMs = 0;
  let pages = 0;
  return {
    async page<Page>(list: () => Promise<Page>): Promise<Page> {
      if (pages >= minPages && spentMs > maxMs) {
        const minutes = Math.round(maxMs / 60_000);
        throw endless(`expected the end of the listing within ${minutes} min, got ${pages} pages and no end`);
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

/**
 * Pages in a row without a new record. A service that filters after paging, which none is known to do, shows
 * 100,000 records without a match so. A listing that never ends shows as many in a minute.
 */
const maxBarrenPages = 1_000;
/** A lower bound for slow pages: such a listing must not keep its place for an hour. */
const maxSlowBarrenPages = 100;
const maxBarrenMs = 300_000;
/** 20 full pages. If cursors are positions, records that enter at the head shift the pages, and a few come twice. */
const maxRecordsAgain = 2_000;
/** One alone may be another record under the same odd id, on a page made small for records of 100 KB. */
const maxPagesAgain = 5;
/** 80 bytes each. A loop of more records is recognised by a page's first and last record, or by its time. */
const maxKnown = 100_000;

/**
 * Answers which ids were on pages before, and why no more is asked for; null: more may be. Cursors prove little: one may
 * stay while the listing moves.
 */
export function createCursorLoopCheck() {
  const seen = new Set<string>();
  const listed = createListedIds();
  let barrenPages = 0;
  let barrenSinceMs = 0;
  let recordsAgain = 0;
  let pagesAgain = 0;

  const whyNoMore = (cursor: string, ids: readonly string[], isNew: boolean, spentMs: number) => {
    if (isNew) {
      barrenPages = 0;
      recordsAgain = 0;
      barrenSinceMs = spentMs;
    } else {
      barrenPages += 1;
      recordsAgain += ids.length;
    }
    const isSlow = barrenPages > maxSlowBarrenPages && spentMs - barrenSinceMs > maxBarrenMs;
    if (barrenPages > maxBarrenPages || isSlow) {
      return endless(
        `expected a record that is new or the end of the listing, got ${barrenPages} pages without either`,
      );
    }
    if (recordsAgain > maxRecordsAgain) {
      return endless(`the listing repeats its records: ${recordsAgain} in a row were listed before`);
    }
    // Without ids only the cursor distinguishes pages.
    const position = JSON.stringify(ids.length === 0 ? [cursor] : [ids[0], ids.at(-1)]);
    pagesAgain = seen.has(position) ? pagesAgain + 1 : 0;
    if (pagesAgain >= maxPagesAgain)
      return endless(
        `the listing repeats its pages, so it would never end: ${pagesAgain} in a row were there before`,
      );
    seen.add(position);
    return null;
  };
  return ({ cursor, records }: ListPage, spentMs = 0) => {
    const ids: string[] = [];
    for (const { dlqId } of records) if (typeof dlqId === "string") ids.push(dlqId);
    const again = listed.add(ids);
    const isNew = ids.some((id) => !again.has(id));
    return { again, whyNoMore: cursor === undefined ? null : whyNoMore(cursor, ids, isNew, spentMs) };
  };
}

/**
 * Which ids of a page were on pages before it. Services list in the order of ids, or against it: while each is beyond
 * the one before, none is looked up.
 */
function createListedIds() {
  const none: ReadonlySet<string> = new Set();
  let inOrder: string[] = [];
  let isUpward: boolean | null = null;
  let known: BoundedSet<string> | null = null;

  const areBeyond = (ids: readonly string[]): boolean => {
    let last = inOrder.at(-1);
    for (const id of ids) {
      if (last !== undefined && (id === last || id > last !== (isUpward ??= id > last))) return false;
      last = id;
    }
    return true;
  };
  return {
    add(ids: readonly string[]): ReadonlySet<string> {
      if (known === null && areBeyond(ids)) {
        if (inOrder.length >= maxKnown) inOrder.splice(0, maxKnown / 2);
        for (const id of ids) inOrder.push(id);
        return none;
      }
      if (known === null) {
        known = new BoundedSet(maxKnown);
        for (const id of inOrder) known.add(id);
        inOrder = [];
      }
      const again = new Set<string>();
      for (const id of ids) if (known.has(id)) again.add(id);
      for (const id of ids) known.add(id);
      return again;
    },
  };
}

export function endless(message: string): RedriverError {
  return new RedriverError("listing-endless", message);
}
