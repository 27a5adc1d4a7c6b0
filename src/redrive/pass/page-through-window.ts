import { parseRecord } from "../../message/parse-record.ts";
import type { Pass, Window } from "../../ports/passes.ts";
import type { LeftRecord } from "../page/page-report.ts";
import { learnDates } from "../listing/learn-dates-meaning.ts";
import { listToEnd, type ListingPage } from "../listing/list-to-end.ts";
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
 * Pages through one window until its cursor ends. A short page means nothing. If the first page is full, the
 * window may be split into windows that replace it. Throws a RedriverError of the service or ledger, or
 * `stopped`.
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
  let tally = emptyTally;
  let isFirst = true;
  let hasDeleted = false;
  for await (const page of listToEnd(source, query, { signal, stopping })) {
    const { records, readAt } = page;
    if (page.passedOver !== null) {
      tally = addTallies(tally, { ...emptyTally, passedOver: 1 });
      continue;
    }
    if (isFirst && records.length > 0) {
      isFirst = false;
      await learnDates(source, records, signal);
      const split = cut(page, window, source.config.retentionMs);
      // The windows that replace it count what was passed over until here.
      if (split !== null) return { split, tally: emptyTally };
    }

    const isAlone = page.isLast && !page.isBehindCursor && window.depth === 0;
    const worked = { records, readAt, isAlone };
    const outcome = await workPage(drain, worked, signal, { stopping });
    const pagesBehindDeletes = hasDeleted && page.isBehindCursor ? 1 : 0;
    hasDeleted ||= outcome.tally.deleted > 0;
    tally = addTallies(tally, { ...outcome.tally, pagesBehindDeletes });
    given.onPage(tally);
    const dueLater = toDueLater(outcome.left);
    await source.passes.progress(pass.drain, pass.passId, window.windowId, dueLater, toSoFar(tally));
  }
  return { split: [], tally };
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
