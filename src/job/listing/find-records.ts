/**
 * Searches for dead letters by ids with as few listings as possible. Each listing answers what it proves as it ends.
 *
 *   by ids, 100 a call, if the source's service can (listByIds)
 *     ─► by windows around the times in the ids
 *     ─► by messageId, or by its millisecond for a record without one
 *
 * A window proves absence if the service's dates mean entry into the DLQ. If their meaning could not be
 * learned, they mean entry or creation, and a window proves absence only of records that entered when they
 * were created. A failed listing costs that listing alone, unless the next one would fail as well.
 */
import type { DeadLetter, DlqId, MessageId, RawRecord } from "../message/dead-letter.ts";
import { isRedisAway, isRedriverError } from "../contracts/errors.ts";
import type { ListQuery } from "../contracts/service.ts";
import { enteredAtOfId, parseRecord } from "../message/parse-record.ts";
import { followCursor } from "./list-to-end.ts";
import { apartMs, letterDatesAgree } from "../message/plausible-dates.ts";
import { noRoom } from "./limit-page-memory.ts";
import { createPageSize, isTooLarge, listPage, listWithinMemory, type ListedPage } from "./list-page.ts";
import { cutWindow, halve, joinTimes, pagesPerWindow, type SearchWindow } from "./search-windows.ts";
import type { SourceRuntime } from "../runtime.ts";
import { waitWithinBudget, type WaitBudget } from "../source/wait-budget.ts";

export interface Wanted {
  readonly dlqId: DlqId;
  readonly messageId: MessageId | null;
  readonly datesAgree?: boolean;
}

export interface Finding {
  readonly records: readonly RawRecord[];
  /** Redis time from before its first GET; 0 for a listing without pages. */
  readonly readAt: number;
  /** Proven absent: the listing would have held these, and ended without them. */
  readonly absent: readonly DlqId[];
  readonly failure: unknown;
}

export interface SearchBudget {
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

interface Listing extends Pick<Finding, "records" | "readAt" | "failure"> {
  readonly listed: readonly DlqId[];
  readonly end: "end" | "more" | "too-large" | "failed";
  readonly hasMore: boolean;
}

/** Asked after each page, with the page count, its ids and its records. */
type GoesOn = (pages: number, listed: readonly DlqId[], records: readonly RawRecord[]) => boolean;

type Findings = AsyncGenerator<Finding, void, undefined>;

const idsPerListing = 100;
const always = (): boolean => true;

/** Ends early if the budget is used up, or if a listing asked for a pause or halted the source. */
export async function* findRecords(
  source: SourceRuntime,
  wanted: readonly Wanted[],
  budget: SearchBudget,
  signal: AbortSignal,
): Findings {
  /** Neither found nor proven absent so far. */
  const missing = new Map(wanted.map((one) => [one.dlqId, one]));
  let isStopped = false;
  const held: (() => void)[] = [];
  try {
    yield* search();
  } finally {
    release();
  }

  async function* search(): Findings {
    if (source.config.listByIds === true) yield* byIds();
    if (isOver()) return;
    const { dates } = budget;
    const meaning = await source.book.datesMean();
    if (meaning === null && !dates.isPassed) yield* controlDates();
    if (isOver()) return;
    // If dates mean creation, windows around times of entry hold other records.
    if (meaning === "entered") yield* byWindows(0, always);
    if (meaning === null) yield* byWindows(apartMs, (one) => dates.isPassed && one.datesAgree === true);
    for (const { dlqId, messageId } of missing.values()) {
      if (isOver()) return;
      const at = enteredAtOfId(dlqId);
      const range = messageId === null ? { fromDate: at, toDate: at } : { select: { messageId } };
      const listing = await list(range, always);
      const isProof = listing.end === "end" && (messageId !== null || meaning === "entered");
      yield toFinding(listing, isProof ? [dlqId] : []);
    }
  }

  /** An answer with other records comes from a service that does not know the filter: it proves nothing. */
  async function* byIds(): Findings {
    const all = [...missing.keys()];
    const chunks: (readonly DlqId[])[] = [];
    for (let i = 0; i < all.length; i += idsPerListing) chunks.push(all.slice(i, i + idsPerListing));
    for (let chunk = chunks.shift(); chunk !== undefined && !isOver(); chunk = chunks.shift()) {
      const asked: ReadonlySet<unknown> = new Set(chunk);
      const listing = await list({ dlqIds: chunk }, always);
      const isFiltered = !listing.hasMore && listing.listed.every((dlqId) => asked.has(dlqId));
      yield toFinding(listing, listing.end === "end" && isFiltered ? chunk : []);
      if (!isFiltered || isRefused(listing.failure)) return;
      if (listing.end === "too-large" && chunk.length > 1) {
        const middle = Math.ceil(chunk.length / 2);
        chunks.unshift(chunk.slice(0, middle), chunk.slice(middle));
      }
    }
  }

  /** The first page of everything: it proves all if it is the only one, or gives a record to test dates with. */
  async function* controlDates(): Findings {
    let same = null as Moments | null;
    const everything = await list({}, (_pages, _listed, records) => {
      same = findSame(records);
      return false;
    });
    yield toFinding(everything, everything.end === "end" ? [...missing.keys()] : []);
    if (same === null || isOver()) return;
    const { dlqId, enteredAt, createdAt } = same;
    const [fromDate, toDate] = [Math.min(enteredAt, createdAt), Math.max(enteredAt, createdAt)];
    const listing = await list({ fromDate, toDate }, always);
    budget.dates.isPassed = listing.listed.includes(dlqId);
    yield toFinding(listing, []);
  }

  /** `marginMs`: on both sides. `isProofOf`: a window that ended without it proves its absence. */
  async function* byWindows(marginMs: number, isProofOf: (wanted: Wanted) => boolean): Findings {
    const whole = joinTimes([...missing.keys()].map(enteredAtOfId));
    // Begins anywhere, so that a window without proof delays the others in one sweep only.
    const begin = Math.floor(source.clock.random() * whole.length);
    const windows = [...whole.slice(begin), ...whole.slice(0, begin)];
    for (let window = windows.shift(); window !== undefined && !isOver(); window = windows.shift()) {
      const { from, to } = window;
      const isWithin = (at: number): boolean => at >= from && at <= to;
      const within = (): readonly Wanted[] =>
        [...missing.values()].filter(({ dlqId }) => isWithin(enteredAtOfId(dlqId)));
      const times = (): readonly number[] => within().map(({ dlqId }) => enteredAtOfId(dlqId));
      if (within().length === 0) continue;
      let cut: readonly SearchWindow[] | null = null;
      const range = { fromDate: from - marginMs, toDate: to + marginMs };
      const listing = await list(range, (pages, listed) => {
        if (pages > 1) return true;
        cut = cutWindow({ from, to }, times(), listed.map(enteredAtOfId));
        return cut === null;
      });
      const proven = within().flatMap((one) => (isProofOf(one) ? [one.dlqId] : []));
      yield toFinding(listing, listing.end === "end" ? proven : []);
      // A failed window is not repaired by one call per record.
      if (listing.end === "failed") for (const { dlqId } of within()) missing.delete(dlqId);
      if (listing.end === "more") windows.unshift(...(cut ?? halve(times()) ?? []));
    }
  }

  function isOver(): boolean {
    return (
      isStopped ||
      missing.size === 0 ||
      budget.callsLeft <= 0 ||
      source.clock.monotonic() >= budget.endsAt ||
      signal.aborted
    );
  }

  function release(): void {
    for (const one of held.splice(0)) one();
  }

  async function list(query: Partial<ListQuery>, goesOn: GoesOn): Promise<Listing> {
    release();
    const { memory, clock } = source;
    const records: RawRecord[] = [];
    const listed: DlqId[] = [];
    const size = createPageSize();
    let readAt = 0;
    let pages = 0;
    const ended = (end: Listing["end"], failure: unknown = null): Listing => {
      return { records, listed, readAt, end, hasMore: end === "more" || pages > 1, failure };
    };
    const call = (sized: ListQuery): Promise<ListedPage> => {
      budget.callsLeft -= 1;
      return waitWithinBudget(clock, budget.waits, () => listPage(source, sized, signal));
    };
    try {
      const pagesOf = followCursor((at) => {
        // A caller that holds a page does not wait for another.
        const room = { memory, waitSignal: held.length === 0 ? () => signal : null };
        return listWithinMemory(call, { select: {}, ...query, ...at }, size, room);
      });
      for await (const page of pagesOf) {
        held.push(page.release);
        pages += 1;
        if (pages === 1) readAt = page.readAt;
        const onPage = page.records.flatMap(({ dlqId }) =>
          typeof dlqId === "string" ? [dlqId as DlqId] : [],
        );
        listed.push(...onPage);
        for (const raw of page.records) if (missing.delete(raw["dlqId"] as DlqId)) records.push(raw);
        if (page.cursor === undefined) break;
        if (pages >= pagesPerWindow || !goesOn(pages, onPage, page.records) || isOver()) {
          return ended("more");
        }
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
  }

  /** `absent`: proven by this listing, if it did not show them. */
  function toFinding({ records, readAt, failure }: Listing, absent: readonly DlqId[]): Finding {
    return { records, readAt, absent: absent.filter((dlqId) => missing.delete(dlqId)), failure };
  }
}

type Moments = Pick<DeadLetter, "dlqId" | "enteredAt" | "createdAt">;

function findSame(records: readonly RawRecord[]): Moments | null {
  for (const raw of records) {
    const parsed = parseRecord(raw);
    if (parsed.kind === "unusable" || !letterDatesAgree(parsed.letter)) continue;
    // The letter itself would keep its body in memory.
    const { dlqId, enteredAt, createdAt } = parsed.letter;
    return { dlqId, enteredAt, createdAt };
  }
  return null;
}

function isRefused(failure: unknown): boolean {
  return isRedriverError(failure) && failure.code === "request-refused";
}
