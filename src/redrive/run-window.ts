import type { RawRecord } from "../message/dead-letter.ts";
import { parseRecord } from "../message/parse-record.ts";
import { RedriverError } from "../ports/errors.ts";
import type { Pass, Tally, Window, WindowEnd } from "../ports/passes.ts";
import type { ListPage, ListQuery } from "../ports/service.ts";
import { learnDates } from "./learn-dates.ts";
import { listPage } from "./list-page.ts";
import type { DrainRuntime } from "./runtime.ts";
import { splitAfterFirstPage } from "./split-window.ts";
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
 * Pages through one window until its cursor ends; a short page means nothing. After a full first page the rest may be cut
 * into windows of their own. Throws what stops it: a RedriverError of the service, the ledger, or `stopped`.
 */
export async function runWindow(run: WindowRun): Promise<{ readonly end: WindowEnd; readonly tally: Tally }> {
  const { drain, pass, window, signal } = run;
  const { passes } = drain.source;
  const seenCursors = new Set<string>();
  let tally = emptyTally;
  let cursor: string | undefined;
  for (let pageNumber = 0; pageNumber < mostPages; pageNumber += 1) {
    run.stopping.throwIfAborted();
    const page = await listPage(drain.source, toQuery(run, cursor), signal);
    const dates = pageNumber === 0 ? await learnDates(drain.source, page.records, signal) : null;
    const split = dates === "entered" ? cut(page, window) : null;
    const records = split === null ? page.records : page.records.filter((raw) => !split.isInRest(raw));

    const outcome = await workPage(drain, { records, readAt: page.readAt }, signal);
    tally = addTallies(tally, outcome.tally);
    run.onPage(tally);
    await passes.progress(pass.drain, pass.passId, window.windowId, outcome.dueLater);

    if (split !== null) return { end: { kind: "done", split: split.windows }, tally };
    if (page.cursor === undefined) return { end: { kind: "done", split: [] }, tally };
    if (seenCursors.has(page.cursor)) {
      throw new RedriverError("answer-unreadable", "the listing repeats a cursor, so it would never end");
    }
    seenCursors.add(page.cursor);
    cursor = page.cursor;
  }
  throw new RedriverError("answer-unreadable", `the listing did not end within ${mostPages} pages`);
}

function toQuery({ drain, window }: WindowRun, cursor: string | undefined): ListQuery {
  return {
    select: drain.config.select,
    ...(window.from > 0 ? { fromDate: window.from } : {}),
    toDate: window.to,
    count: recordsPerPage,
    ...(cursor === undefined ? {} : { cursor }),
  };
}

function cut(
  page: ListPage,
  window: Window,
): { readonly windows: readonly Window[]; readonly isInRest: (raw: RawRecord) => boolean } | null {
  if (page.cursor === undefined) return null;
  const enteredAts = page.records.map(enteredAtOf);
  if (!enteredAts.every((at) => at !== null)) return null;
  const split = splitAfterFirstPage(window, enteredAts);
  if (split === null) return null;
  return {
    windows: split.windows,
    isInRest: (raw) => {
      const at = enteredAtOf(raw);
      return at !== null && at >= split.restFrom && at <= split.restTo;
    },
  };
}

function enteredAtOf(raw: RawRecord): number | null {
  const parsed = parseRecord(raw);
  return parsed.kind === "letter" ? parsed.letter.enteredAt : null;
}
