import type { RawRecord } from "../message/dead-letter.ts";
import { parseRecord } from "../message/parse-record.ts";
import { RedriverError, isRedriverError } from "../ports/errors.ts";
import type { Pass, Tally, Window, WindowEnd } from "../ports/passes.ts";
import type { ListPage, ListQuery } from "../ports/service.ts";
import { learnDates } from "./learn-dates.ts";
import { listPage, type ListedPage } from "./list-page.ts";
import type { DrainRuntime } from "./runtime.ts";
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
export async function runWindow(run: WindowRun): Promise<{ readonly end: WindowEnd; readonly tally: Tally }> {
  const { drain, pass, window, signal } = run;
  const { source } = drain;
  const seen = new Set<string>();
  const size = { count: recordsPerPage };
  let tally = emptyTally;
  let cursor: string | undefined;
  for (let pageNumber = 0; pageNumber < mostPages; pageNumber += 1) {
    run.stopping.throwIfAborted();
    const page = await listPatiently(run, toQuery(run, cursor), size);
    if (pageNumber === 0) {
      await learnDates(source, page.records, signal);
      const split = cut(page, window, source.config.retentionMs);
      if (split !== null) return { end: { kind: "done", split }, tally };
    }

    const outcome = await workPage(drain, { records: page.records, readAt: page.readAt }, signal);
    tally = addTallies(tally, outcome.tally);
    run.onPage(tally);
    await source.passes.progress(pass.drain, pass.passId, window.windowId, outcome.dueLater);

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

/** A listing that fails is asked again after these, from the same cursor: a window that began anew each time would never end. */
const listAgainAfterMs = [500, 2_000, 8_000];
/** A rate limit that lasts no longer than this is waited for in place; a longer one is the queue's to wait for. */
const longestWaitMs = 60_000;

/** `size.count` is made smaller, for the rest of the window, where a page of it is larger than may be read. */
async function listPatiently(
  run: WindowRun,
  query: Omit<ListQuery, "count">,
  size: { count: number },
): Promise<ListedPage> {
  const { source } = run.drain;
  for (let failures = 0; ;) {
    try {
      return await listPage(source, { ...query, count: size.count }, run.signal);
    } catch (error) {
      if (!isRedriverError(error)) throw error;
      if (error.code === "answer-too-large") {
        if (size.count === 1) throw error;
        size.count = Math.ceil(size.count / 4);
        continue;
      }
      let waitMs: number | undefined;
      if (error.disposition === "wait") waitMs = Math.max(0, (error.retryAt ?? 0) - source.clock.now());
      if (error.disposition === "retry") {
        waitMs = listAgainAfterMs[failures];
        failures += 1;
      }
      if (waitMs === undefined || waitMs > longestWaitMs) throw error;
      // Jitter, so that windows which were turned away together do not come back together.
      const signal = AbortSignal.any([run.signal, run.stopping]);
      await source.clock.sleep(waitMs + source.clock.random() * 500, signal);
    }
  }
}

/** A cursor may stay the same while the listing moves on; cursor and records together do not. */
function toPosition({ cursor, records }: ListPage): string {
  return JSON.stringify([cursor, records[0]?.["dlqId"], records.at(-1)?.["dlqId"]]);
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
