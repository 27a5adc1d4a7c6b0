import type { RawRecord } from "../message/dead-letter.ts";
import { parseRecord } from "../message/parse-record.ts";
import { RedriverError } from "../ports/errors.ts";
import type { Pass, Tally, Window, WindowEnd } from "../ports/passes.ts";
import type { ListPage, ListQuery } from "../ports/service.ts";
import type { LeftRecord } from "./page-report.ts";
import { learnDates } from "./learn-dates.ts";
import { listPatiently, toPosition } from "./list-patiently.ts";
import type { DrainRuntime } from "./runtime.ts";
import { narrowWindow } from "./select-dates.ts";
import { splitWindow } from "./split-window.ts";
import { addTallies, emptyTally } from "../ports/tally.ts";
import { workPage } from "./work-page.ts";

const recordsPerPage = 100;
/** One window never asks for more pages than this: a listing that does not end is a fault of the service. */
const mostPages = 100_000;

export interface WindowRun {
  readonly drain: DrainRuntime;
  readonly pass: Pass;
  readonly window: Window;
  /** Ends calls that are under way. */
  readonly signal: AbortSignal;
  /** Ends the run between two pages. */
  readonly stopping: AbortSignal;
  /** Told after each page. */
  readonly onPage: (tally: Tally) => void;
}

/**
 * Pages through one window until its cursor ends; a short page means nothing. Where the first page is full, the window may be cut
 * into windows that take its place. Throws what stops it: a RedriverError of the service, the ledger, or `stopped`.
 */
export async function runWindow(
  given: WindowRun,
): Promise<{ readonly end: WindowEnd; readonly tally: Tally }> {
  const { pass, signal } = given;
  const drain: DrainRuntime = { ...given.drain, passId: pass.passId };
  const window = narrowWindow(drain.config.dates, given.window, pass.startedAt);
  if (window === null) return { end: { kind: "done", split: [] }, tally: emptyTally };
  const run = { ...given, window };
  const { source } = drain;
  const seen = new Set<string>();
  const size = { count: recordsPerPage };
  let tally = emptyTally;
  let cursor: string | undefined;
  for (let pageNumber = 0; pageNumber < mostPages; pageNumber += 1) {
    run.stopping.throwIfAborted();
    const page = await listPatiently(source, toQuery(run, cursor), size, run);
    if (pageNumber === 0) {
      await learnDates(source, page.records, signal);
      const split = cut(page, window, source.config.retentionMs);
      if (split !== null) return { end: { kind: "done", split }, tally };
    }

    const { passId } = pass;
    const { records, readAt } = page;
    const outcome = await workPage(drain, { records, readAt }, signal, { passId, stopping: run.stopping });
    tally = addTallies(tally, outcome.tally);
    run.onPage(tally);
    await source.passes.progress(pass.drain, pass.passId, window.windowId, toDueLater(outcome.left));

    if (page.cursor === undefined) return { end: { kind: "done", split: [] }, tally };
    const position = toPosition(page);
    if (seen.has(position)) {
      throw new RedriverError("answer-unreadable", "the listing repeats a page, so it would never end");
    }
    seen.add(position);
    cursor = page.cursor;
  }
  throw new RedriverError("answer-unreadable", `the listing did not end within ${mostPages} pages`);
}

function toDueLater(
  left: readonly LeftRecord[],
): readonly { readonly enteredAt: number; readonly dueAt: number }[] {
  return left.flatMap(({ enteredAt, dueAt }) => (dueAt === undefined ? [] : [{ enteredAt, dueAt }]));
}

function toQuery({ drain, window }: WindowRun, cursor: string | undefined): Omit<ListQuery, "count"> {
  return {
    select: drain.config.select,
    ...(window.from > 0 ? { fromDate: window.from } : {}),
    toDate: window.to,
    ...(cursor === undefined ? {} : { cursor }),
  };
}

function cut(page: ListPage, window: Window, retentionMs: number): readonly Window[] | null {
  if (page.cursor === undefined || page.records.length < recordsPerPage) return null;
  return splitWindow(
    window,
    page.records.flatMap((raw) => enteredAtOf(raw) ?? []),
    retentionMs,
  );
}

function enteredAtOf(raw: RawRecord): number | null {
  const parsed = parseRecord(raw);
  return parsed.kind === "letter" ? parsed.letter.enteredAt : null;
}
