import type { RawRecord } from "../message/dead-letter.ts";
import { isRecalled, type TakenWindow, type Window } from "../contracts/passes.ts";
import { addTallies, emptyTally, type Tally } from "../contracts/tally.ts";
import { FailureTally } from "../failures/count-failures.ts";
import { learnDates } from "../listing/learn-dates-meaning.ts";
import { listPages, toListing, type ListingPage } from "../listing/list-to-end.ts";
import { type NewestRange, withNewer } from "../page/newest.ts";
import { createSharedBatches, type PageBatches } from "../page/share-batches.ts";
import type { DrainRuntime } from "../runtime.ts";
import { narrowWindow } from "./select-dates.ts";
import { createProgress } from "./window-progress.ts";
import { watchRates } from "./window-rates.ts";
import { createWindowSplit, equalParts } from "./split-window.ts";
import { createCarefulWork, putLostAside, workPageBut, type CarefulWork } from "./work-carefully.ts";

export interface WindowPaging extends TakenWindow {
  readonly drain: DrainRuntime;
  readonly owner: string;
  readonly places: number;
  readonly signal: AbortSignal;
  readonly stopping: AbortSignal;
  readonly onPage: (tally: Tally, failures: FailureTally) => void;
}

/**
 * Pages through one window until its cursor ends, or until it is split into windows that replace it. Throws a
 * RedriverError, or `stopped`, when all pages in flight have ended. Null: another worker has begun it again, and counts it.
 */
export async function pageThroughWindow(given: WindowPaging) {
  const { pass, rows, left, places, signal } = given;
  const { source, config } = given.drain;
  const takenOver = new AbortController();
  const stopping = AbortSignal.any([given.stopping, takenOver.signal]);
  const stop = AbortSignal.any([signal, stopping]);
  const rates = watchRates(source.capacity, Object.keys(config.limits).length > 0);
  // A recalled window lists what another window of its pass counts.
  const countedTo = isRecalled(given.window.windowId) ? Infinity : pass.countedTo;
  const late = pass.kind === "new" ? { lateFrom: pass.from } : {};
  const lost = given.workerLostAt === null ? {} : { workerLostAt: given.workerLostAt };
  const unsurveyed = { ...given.drain, passId: pass.passId, countedTo, ...late, ...lost };
  const failures = new FailureTally();
  const inFlight = new Set<FailureTally>();
  const countPage = () => {
    const tally = new FailureTally(failures.shared);
    inFlight.add(tally);
    // Also a page that failed: what it did stays counted.
    const ended = (): void => void (inFlight.delete(tally) && failures.merge(tally));
    return { tally, ended };
  };
  const countSoFar = (): FailureTally => {
    const sum = new FailureTally();
    for (const one of [failures, ...inFlight]) sum.merge(one);
    return sum;
  };
  const window = narrowWindow(config.dates, given.window, pass.startedAt);
  if (window === null) return { split: [], tally: emptyTally, failures };
  const query = toListing(config, window);
  const { retentionMs } = source.config;
  const run = { passId: pass.passId, windowId: window.windowId, owner: given.owner };
  const care =
    given.care === null
      ? null
      : createCarefulWork({ source, drain: config.name }, run, given.care, () => takenOver.abort());
  if (care?.endsListings === true) {
    const parts = equalParts(window, source.config.retentionMs);
    const passedOver = parts.length === 0 ? 1 : 0;
    if (passedOver > 0) await care.passOver(window.from);
    return { split: parts, tally: { ...emptyTally, passedOver }, failures };
  }
  const pages = createWindowSplit({ window, retentionMs, sizes: source.windowSizes, rows, left, places });
  const flight = source.pagesInFlight.ofWindow(
    () => care === null && rates.areFree() && source.memory.hasSpare(),
  );
  const signals = { signal, stopping: AbortSignal.any([stopping, flight.failed]) };
  const progress = createProgress(given, pages.leftInPass, () => takenOver.abort());
  // A delete may run beside the GETs that follow, so these may be more than skip records.
  const areBehindCursor: boolean[] = [];
  let firstDelete = Infinity;
  let tally = emptyTally;
  const onTurn = () => progress.page([], tally, countSoFar);
  const toRange = (): NewestRange => {
    // Lanes recall windows from before the range of a pass.
    const all = { ...window, from: Math.min(window.from, pass.from), to: Math.max(window.to, pass.to) };
    const { from, to } = narrowWindow(config.dates, all, pass.startedAt) ?? all;
    // A pass without progress is closed as abandoned.
    const { unlistable, unworkable } = given;
    const ofPass = `${pass.passId} ${unsurveyed.documentHash}`;
    return { pass: ofPass, from, to, unlistable, unworkable: new Set(unworkable), onPage: onTurn };
  };
  // A careful window decides nothing that rests on other windows' letters.
  const drain = care === null ? await withNewer(unsurveyed, toRange(), given) : unsurveyed;
  const shared = createSharedBatches(drain, signal);
  const work = async (
    page: ListingPage,
    { batches, learnFrom = [], part = page.records, onDecided = page.forget }: PartOfPage,
  ): Promise<void> => {
    const { readAt, isBehindCursor } = page;
    const listed = part.length;
    const isAlone = page.isLast && !isBehindCursor && window.depth === 0;
    const place = areBehindCursor.push(isBehindCursor) - 1;
    const rate = rates.ofPage(care?.waits);
    const counts = countPage();
    try {
      if (learnFrom.length > 0) await learnDates(source, learnFrom, signal);
      const ofPage = { ...drain, source: { ...source, capacity: rate.capacity } };
      const ways = { stopping: stop, batches, onDecided, failures: counts.tally, onTurn };
      const listing = { records: part, readAt, isAlone };
      const outcome = await workPageBut(given.unworkable, ofPage, listing, signal, ways);
      if (outcome.mayHaveDeleted) firstDelete = Math.min(firstDelete, place);
      pages.worked(listed, leftOf(outcome.tally));
      tally = addTallies(tally, outcome.tally);
      counts.ended();
      given.onPage(tally, failures);
      care?.ended(part, outcome.left);
      await progress.page(outcome.left, tally, countSoFar);
    } finally {
      counts.ended();
      rate.ended();
      batches.leave();
      if (part === page.records) page.release();
    }
  };
  const workCarefully = async (
    careful: CarefulWork,
    page: ListingPage,
    batches: PageBatches,
    areSuspects: boolean,
  ): Promise<void> => {
    batches.leave();
    try {
      for (const part of careful.partsOf(page.records, areSuspects)) {
        stop.throwIfAborted();
        const [one] = part;
        if (one !== undefined && careful.isUnworkable(one)) {
          const counts = countPage();
          const as = { lost: careful.lost, failures: counts.tally };
          tally = addTallies(tally, (await putLostAside(drain, one, page.readAt, as)).tally);
          counts.ended();
          await careful.setAside(one);
          continue;
        }
        await careful.begin(part);
        await work(page, { batches: shared.join(), part, onDecided: () => undefined });
      }
      await careful.lists();
    } finally {
      page.release();
    }
  };
  let next = shared.join();
  let isFirst = true;
  let split: readonly Window[] = [];
  try {
    for (const areSuspects of [false, true]) {
      if (areSuspects) await flight.ended();
      if (areSuspects && (split.length > 0 || care?.hasSuspects() !== true)) break;
      for await (const page of listPages(source, query, signals, given.unlistable)) {
        if (page.passedOver !== null) {
          if (!areSuspects) tally = addTallies(tally, { ...emptyTally, passedOver: 1 });
          continue;
        }
        if (!areSuspects) pages.listed(page.records);
        const learnFrom = isFirst ? page.records : [];
        if (learnFrom.length > 0) isFirst = false;
        const batches = next;
        flight.begin(() =>
          care === null
            ? work(page, { batches, learnFrom })
            : workCarefully(care, page, batches, areSuspects),
        );
        if (page.isLast) continue;
        await flight.mayListNext();
        next = shared.join();
        split = areSuspects ? [] : (pages.parts() ?? []);
        if (split.length > 0) break;
      }
    }
  } catch (error) {
    flight.fail(error);
  }
  next.leave();
  care?.close();
  try {
    await flight.ended();
    // The next worker of the window asks again at once. If it ended here, a sweep would, after the takeover.
    if (tally.inDoubt > 0) stop.throwIfAborted();
  } catch (error) {
    if (takenOver.signal.aborted) return null;
    // Another worker begins it again, or it ends. What was done here stays counted.
    given.onPage(tally, failures);
    await progress.write(tally, failures).catch(() => undefined);
    throw error;
  }
  await progress.end(tally, failures);
  if (takenOver.signal.aborted) return null;
  const pagesBehindDeletes = areBehindCursor.filter((isBehind, at) => isBehind && at > firstDelete).length;
  if (split.length === 0) tally = { ...tally, pagesBehindDeletes };
  else given.onPage((tally = toActs(tally)), failures);
  return { split, tally, failures };
}

function leftOf({ due, held, parked, inDoubt }: Tally): number {
  return due + held + parked + inDoubt;
}

/** What the parts of a window do not count: they list all records that are left. */
function toActs({ republished, deduplicated, deleted, comeBacks, pages }: Tally): Tally {
  return { ...emptyTally, listed: deleted, republished, deduplicated, deleted, comeBacks, pages };
}

interface PartOfPage {
  readonly batches: PageBatches;
  readonly learnFrom?: readonly RawRecord[];
  /** Absent: all of its records, which may be emptied once they are decided. */
  readonly part?: readonly RawRecord[];
  readonly onDecided?: () => void;
}
