import { parseRecord } from "../../message/parse-record.ts";
import type { Pass, Window } from "../../ports/passes.ts";
import type { LeftRecord } from "../page/page-report.ts";
import { learnDates } from "../listing/learn-dates-meaning.ts";
import { listPages, type ListingPage } from "../listing/list-to-end.ts";
import type { DrainRuntime } from "../runtime.ts";
import { narrowWindow } from "./select-dates.ts";
import { splitWindow } from "./split-window.ts";
import { addTallies, emptyTally, toSoFar, type Tally } from "../../ports/tally.ts";
import { workPage } from "../page/work-page.ts";

export interface WindowPaging {
  readonly drain: DrainRuntime;
  readonly pass: Pass;
  readonly window: Window;
  /** Aborts running calls. */
  readonly signal: AbortSignal;
  /** Ends the run between two pages. */
  readonly stopping: AbortSignal;
  /** Called after each page. */
  readonly onPage: (tally: Tally) => void;
}

/**
 * Pages through one window until its cursor ends. The next page is listed while others are worked. A short
 * page means nothing. If the first page is full, the window may be split into windows that replace it. Throws
 * a RedriverError of the service or ledger, or `stopped`, when all pages in flight have ended.
 */
export async function pageThroughWindow(
  given: WindowPaging,
): Promise<{ readonly split: readonly Window[]; readonly tally: Tally }> {
  const { pass, signal, stopping } = given;
  const drain: DrainRuntime = { ...given.drain, passId: pass.passId };
  const { source, config } = drain;
  const window = narrowWindow(config.dates, given.window, pass.startedAt);
  if (window === null) return { split: [], tally: emptyTally };
  const query = {
    select: config.select,
    ...(window.from > 0 ? { fromDate: window.from } : {}),
    toDate: window.to,
  };
  const flight = source.pagesInFlight.ofWindow(() => source.memory.hasSpare());
  const signals = { signal, stopping: AbortSignal.any([stopping, flight.failed]) };
  let tally = emptyTally;
  const behindDeletes = countBehindDeletes();
  const work = async (page: ListingPage): Promise<void> => {
    const { records, readAt, isBehindCursor } = page;
    const isAlone = page.isLast && !isBehindCursor && window.depth === 0;
    const place = behindDeletes.next(isBehindCursor);
    const outcome = await workPage(drain, { records, readAt, isAlone }, signal, { stopping });
    place.ended(outcome.tally.deleted > 0);
    tally = addTallies(tally, outcome.tally);
    given.onPage(tally);
    const dueLater = toDueLater(outcome.left);
    await source.passes.progress(pass.drain, pass.passId, window.windowId, dueLater, toSoFar(tally));
  };
  let isFirst = true;
  try {
    for await (const page of listPages(source, query, signals)) {
      if (page.passedOver !== null) {
        tally = addTallies(tally, { ...emptyTally, passedOver: 1 });
        continue;
      }
      const learnFrom = isFirst && page.records.length > 0 ? page.records : [];
      if (learnFrom.length > 0) {
        isFirst = false;
        const split = cut(page, window, source.config.retentionMs);
        if (split !== null) {
          await learnDates(source, page.records, signal).finally(page.release);
          // The windows that replace it count what was passed over until here.
          return { split, tally: emptyTally };
        }
      }
      flight.begin(async () => {
        try {
          if (learnFrom.length > 0) await learnDates(source, learnFrom, signal);
          await work(page);
        } finally {
          page.release();
        }
      });
      await flight.mayListNext();
    }
  } catch (error) {
    flight.fail(error);
  }
  await flight.ended();
  return { split: [], tally: { ...tally, pagesBehindDeletes: behindDeletes.count() } };
}

/**
 * Counts pages by a cursor after a page that deleted. A delete may run beside the next GETs, and so count
 * pages that were listed before it.
 */
function countBehindDeletes() {
  const isBehindCursor: boolean[] = [];
  let first = Infinity;
  return {
    next(isBehind: boolean) {
      const index = isBehindCursor.push(isBehind) - 1;
      return {
        ended(hasDeleted: boolean): void {
          if (hasDeleted) first = Math.min(first, index);
        },
      };
    },
    count: (): number => isBehindCursor.filter((isBehind, index) => isBehind && index > first).length,
  };
}

function toDueLater(left: readonly LeftRecord[]) {
  return left.flatMap(({ enteredAt, dueAt, reason }) => {
    // Lanes know the minutes of the records they hold, and request as many as can go.
    if (dueAt === undefined || reason === "lane-watched" || reason === "lane-halted") return [];
    // A record that was not sent is due at once.
    return [{ enteredAt, dueAt: reason === "not-sent" ? 0 : dueAt }];
  });
}

function cut(page: ListingPage, window: Window, retentionMs: number): readonly Window[] | null {
  if (page.cursor === undefined || page.records.length < page.asked) return null;
  const enteredAts = page.records.flatMap((raw) => {
    const parsed = parseRecord(raw);
    return parsed.kind === "letter" ? [parsed.letter.enteredAt] : [];
  });
  return splitWindow(window, enteredAts, retentionMs);
}
