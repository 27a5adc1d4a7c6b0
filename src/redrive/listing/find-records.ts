/**
 * Searches for dead letters by ids with as few listings as possible. Each listing answers what it proves as it ends.
 *
 *   by ids, 100 a call, if the source's service can (listByIds)
 *     ─► by windows around the times in the ids
 *     ─► by messageId, or by its millisecond for a record without one
 *
 * A window proves absence if the service's dates mean entry into the DLQ. If their meaning could not be learned, they mean entry or
 * creation, and a window proves absence only of records that entered when they were created. A failed listing costs that listing
 * alone, unless the next one would fail as well.
 */
import type { DeadLetter, DlqId, MessageId, RawRecord } from "../../message/dead-letter.ts";
import { isRedisAway, isRedriverError } from "../../ports/errors.ts";
import type { ListQuery } from "../../ports/service.ts";
import { enteredAtOf, parseRecord } from "../../message/parse-record.ts";
import { followCursor } from "./follow-cursor.ts";
import { apartMs, letterDatesAgree } from "./learn-dates.ts";
import { createPageSize, isTooLarge, listFitting, noRoom, type TakeRoom } from "./list-fitting.ts";
import { listPage } from "./list-page.ts";
import { cutWindow, halve, joinTimes, pagesPerWindow, type SearchWindow } from "./search-windows.ts";
import type { SourceRuntime } from "../runtime.ts";
import { waitWithinBudget, type WaitBudget } from "../source/wait-budget.ts";

export interface Wanted {
  readonly dlqId: DlqId;
  readonly messageId: MessageId | null;
  /** As in the ledger's view; absent: not known. */
  readonly datesAgree?: boolean;
}

/** The result of one listing. */
export interface Finding {
  readonly records: readonly RawRecord[];
  /** Redis time from before its first GET. */
  readonly readAt: number;
  /** Proven absent: the listing would have held these, and ended without them. */
  readonly absent: readonly DlqId[];
  /** The failure that stopped the listing; null: none. */
  readonly failure: unknown;
}

/** The limits of a search. */
export interface SearchBudget {
  /** GETs. */
  callsLeft: number;
  /** No listing begins later, by clock.monotonic(). */
  readonly endsAt: number;
  readonly waits: WaitBudget;
  readonly dates: DatesControl;
}

/** What this process knows of a source whose dates have an unknown meaning. */
export interface DatesControl {
  /** A record that entered when it was created was listed by that date. So dates mean one of the two. */
  isPassed: boolean;
}

const idsPerListing = 100;

/**
 * Ends early if the budget is used up, or if a listing asked for a pause or halted the source. The rest is searched next time.
 */
export async function* findRecords(
  source: SourceRuntime,
  wanted: readonly Wanted[],
  budget: SearchBudget,
  signal: AbortSignal,
): AsyncGenerator<Finding, void, undefined> {
  const search = createSearch(source, wanted, budget, signal);
  try {
    yield* searchInTurn(source, search, budget);
  } finally {
    search.release();
  }
}

async function* searchInTurn(
  source: SourceRuntime,
  search: IdSearch,
  budget: SearchBudget,
): AsyncGenerator<Finding, void, undefined> {
  if (source.config.listByIds === true) {
    yield* searchByIds(search);
    if (search.isOver()) return;
  }
  const meaning = await source.book.datesMean();
  if (meaning === null && !budget.dates.isPassed) {
    yield* controlDates(search, budget.dates);
    if (search.isOver()) return;
  }
  // If dates mean creation, windows around times of entry hold other records.
  if (meaning !== "created") {
    yield* searchByWindows(search, {
      isProofOf: ({ datesAgree = false }) => meaning === "entered" || (budget.dates.isPassed && datesAgree),
      marginMs: meaning === "entered" ? 0 : apartMs,
      turn: source.clock.random(),
    });
  }
  for (const { dlqId, messageId } of search.missing.values()) {
    if (search.isOver()) return;
    const at = enteredAtOf(dlqId);
    const range = messageId === null ? { fromDate: at, toDate: at } : { select: { messageId } };
    const listing = await search.list(range, () => true);
    const isProof = listing.end === "end" && (messageId !== null || meaning === "entered");
    yield search.toFinding(listing, isProof && search.missing.has(dlqId) ? [dlqId] : []);
  }
}

/**
 * Up to a hundred ids a call. An answer with other records comes from a service that does not know the filter. It proves nothing,
 * and neither does a refusal. Then windows are next.
 */
async function* searchByIds(search: IdSearch): AsyncGenerator<Finding, void, undefined> {
  const all = [...search.missing.keys()];
  const chunks: (readonly DlqId[])[] = [];
  for (let i = 0; i < all.length; i += idsPerListing) chunks.push(all.slice(i, i + idsPerListing));
  for (let chunk = chunks.shift(); chunk !== undefined && !search.isOver(); chunk = chunks.shift()) {
    const asked: ReadonlySet<unknown> = new Set(chunk);
    const listing = await search.list({ dlqIds: chunk }, () => true);
    const isFiltered = !listing.hasMore && listing.listed.every((dlqId) => asked.has(dlqId));
    const isProof = listing.end === "end" && isFiltered;
    yield search.toFinding(listing, isProof ? chunk.filter((dlqId) => search.missing.has(dlqId)) : []);
    if (!isFiltered || isRefused(listing.failure)) return;
    if (listing.end === "too-large" && chunk.length > 1) {
      const middle = Math.ceil(chunk.length / 2);
      chunks.unshift(chunk.slice(0, middle), chunk.slice(middle));
    }
  }
}

/**
 * Lists the first page of everything. If it is the only page, it proves everything. Otherwise it gives a record to test the dates
 * with.
 */
async function* controlDates(
  search: IdSearch,
  control: DatesControl,
): AsyncGenerator<Finding, void, undefined> {
  let same = null as Moments | null;
  const everything = await search.list({}, (_pages, _listed, records) => {
    same = findSame(records);
    return false;
  });
  yield search.toFinding(everything, everything.end === "end" ? [...search.missing.keys()] : []);
  if (same === null || search.isOver()) return;
  const dates = {
    fromDate: Math.min(same.enteredAt, same.createdAt),
    toDate: Math.max(same.enteredAt, same.createdAt),
  };
  const listing = await search.list(dates, () => true);
  control.isPassed = listing.listed.includes(same.dlqId);
  yield search.toFinding(listing, []);
}

type Moments = Pick<DeadLetter, "dlqId" | "enteredAt" | "createdAt">;

/** The first record that entered when it was created; null: there is none. */
function findSame(records: readonly RawRecord[]): Moments | null {
  for (const raw of records) {
    const parsed = parseRecord(raw);
    if (parsed.kind === "unusable" || !letterDatesAgree(parsed.letter)) continue;
    const { dlqId, enteredAt, createdAt } = parsed.letter;
    return { dlqId, enteredAt, createdAt };
  }
  return null;
}

interface WindowSearch {
  /** True if a window that ended without it proves its absence. */
  readonly isProofOf: (wanted: Wanted) => boolean;
  /** The margin on both sides of each window. */
  readonly marginMs: number;
  /** In [0, 1). */
  readonly turn: number;
}

async function* searchByWindows(
  search: IdSearch,
  { isProofOf, marginMs, turn }: WindowSearch,
): AsyncGenerator<Finding, void, undefined> {
  const whole = joinTimes([...search.missing.keys()].map(enteredAtOf));
  // Begins anywhere, so that a window without proof delays the others in one sweep only.
  const begin = Math.floor(turn * whole.length);
  const windows = [...whole.slice(begin), ...whole.slice(0, begin)];
  for (let window = windows.shift(); window !== undefined && !search.isOver(); window = windows.shift()) {
    const { from, to } = window;
    if (search.missingIn(window).length === 0) continue;
    let cut: readonly SearchWindow[] | null = null;
    const range = { fromDate: from - marginMs, toDate: to + marginMs };
    const listing = await search.list(range, (pages, listed) => {
      if (pages > 1) return true;
      cut = cutWindow({ from, to }, search.missingIn({ from, to }).map(enteredAtOf), listed.map(enteredAtOf));
      return cut === null;
    });
    const proven = search.missingIn(window).filter((dlqId) => isProofOf(search.missing.get(dlqId)!));
    yield search.toFinding(listing, listing.end === "end" ? proven : []);
    // A failed window is not repaired by one call per record.
    if (listing.end === "failed") search.leave(search.missingIn(window));
    if (listing.end !== "more") continue;
    windows.unshift(...(cut ?? halve(search.missingIn(window).map(enteredAtOf)) ?? []));
  }
}

interface Listing {
  readonly records: readonly RawRecord[];
  /** The ids of all records on its pages. */
  readonly listed: readonly DlqId[];
  readonly readAt: number;
  readonly end: "end" | "more" | "too-large" | "failed";
  readonly hasMore: boolean;
  readonly failure: unknown;
}

interface IdSearch {
  /** Neither found nor proven absent so far. */
  readonly missing: ReadonlyMap<DlqId, Wanted>;
  missingIn(window: SearchWindow): readonly DlqId[];
  isOver(): boolean;
  /** Lists, and drops the records of the listing before. `goesOn`: asked after each page, with the page count, its ids and its records. */
  list(
    query: Partial<ListQuery>,
    goesOn: (pages: number, listed: readonly DlqId[], records: readonly RawRecord[]) => boolean,
  ): Promise<Listing>;
  toFinding(listing: Listing, absent: readonly DlqId[]): Finding;
  /** Stops searching for these, without a result. */
  leave(dlqIds: readonly DlqId[]): void;
  /** Releases the memory of the last listing. */
  release(): void;
}

function createSearch(
  source: SourceRuntime,
  wanted: readonly Wanted[],
  budget: SearchBudget,
  signal: AbortSignal,
): IdSearch {
  const { clock } = source;
  const missing = new Map(wanted.map((one) => [one.dlqId, one]));
  let isStopped = false;
  const isOver = (): boolean =>
    isStopped ||
    missing.size === 0 ||
    budget.callsLeft <= 0 ||
    clock.monotonic() >= budget.endsAt ||
    signal.aborted;
  let held: (() => void)[] = [];
  const release = (): void => {
    for (const one of held) one();
    held = [];
  };
  /** A caller that holds a page does not wait for another. */
  const take: TakeRoom = async (bytes) => {
    if (held.length === 0) return source.memory.acquire(bytes, signal);
    const lease = source.memory.tryAcquire(bytes);
    if (lease === null) throw noRoom;
    return lease;
  };
  const call = (query: ListQuery): ReturnType<typeof listPage> => {
    budget.callsLeft -= 1;
    return waitWithinBudget(clock, budget.waits, () => listPage(source, query, signal));
  };

  return {
    missing,
    missingIn: ({ from, to }) =>
      [...missing.keys()].filter((dlqId) => enteredAtOf(dlqId) >= from && enteredAtOf(dlqId) <= to),
    isOver,
    release,
    async list(query, goesOn) {
      release();
      const records: RawRecord[] = [];
      const listed: DlqId[] = [];
      const size = createPageSize();
      let readAt: number | undefined;
      let pages = 0;
      const ended = (end: Listing["end"], failure: unknown = null): Listing => ({
        records,
        listed,
        // Not used for a listing without pages.
        readAt: readAt ?? 0,
        end,
        hasMore: end === "more" || pages > 1,
        failure,
      });
      try {
        for await (const page of followCursor((at) =>
          listFitting(call, { select: {}, ...query, ...at }, size, { memory: source.memory, take }),
        )) {
          held.push(page.release);
          pages += 1;
          readAt ??= page.readAt;
          const onPage = page.records.flatMap(({ dlqId }) =>
            typeof dlqId === "string" ? [dlqId as DlqId] : [],
          );
          listed.push(...onPage);
          for (const raw of page.records) if (missing.delete(raw["dlqId"] as DlqId)) records.push(raw);
          if (page.cursor === undefined) return ended("end");
          if (pages >= pagesPerWindow || !goesOn(pages, onPage, page.records)) return ended("more");
          if (isOver()) return ended("more");
        }
        return ended("end");
      } catch (error) {
        if (error === noRoom) return ended("more");
        if (!isRedriverError(error) || isRedisAway(error) || error.disposition === "crash") throw error;
        // A pass reports such a record.
        if (isTooLarge(error)) return ended("too-large");
        const { disposition, code } = error;
        isStopped = disposition === "wait" || disposition === "halt" || code === "stopped";
        return ended("failed", error);
      }
    },
    toFinding({ records, readAt, failure }, absent) {
      for (const dlqId of absent) missing.delete(dlqId);
      return { records, readAt, absent, failure };
    },
    leave(dlqIds) {
      for (const dlqId of dlqIds) missing.delete(dlqId);
    },
  };
}

function isRefused(failure: unknown): boolean {
  return isRedriverError(failure) && failure.code === "request-refused";
}
