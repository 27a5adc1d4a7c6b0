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
  /** As in the ledger's view; absent: not known. */
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

/** Ends early if the budget is used up, or if a listing asked for a pause or halted the source. */
export async function* findRecords(
  source: SourceRuntime,
  wanted: readonly Wanted[],
  budget: SearchBudget,
  signal: AbortSignal,
): AsyncGenerator<Finding, void, undefined> {
  const search = new IdSearch(source, wanted, budget, signal);
  try {
    yield* search.run();
  } finally {
    search.release();
  }
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

class IdSearch {
  readonly #source: SourceRuntime;
  readonly #budget: SearchBudget;
  readonly #signal: AbortSignal;
  /** Neither found nor proven absent so far. */
  readonly #missing: Map<DlqId, Wanted>;
  #isStopped = false;
  #held: (() => void)[] = [];

  constructor(source: SourceRuntime, wanted: readonly Wanted[], budget: SearchBudget, signal: AbortSignal) {
    this.#source = source;
    this.#budget = budget;
    this.#signal = signal;
    this.#missing = new Map(wanted.map((one) => [one.dlqId, one]));
  }

  async *run(): Findings {
    if (this.#source.config.listByIds === true) yield* this.#byIds();
    if (this.#isOver()) return;
    const { dates } = this.#budget;
    const meaning = await this.#source.book.datesMean();
    if (meaning === null && !dates.isPassed) yield* this.#controlDates();
    if (this.#isOver()) return;
    // If dates mean creation, windows around times of entry hold other records.
    if (meaning === "entered") yield* this.#byWindows(0, always);
    if (meaning === null) yield* this.#byWindows(apartMs, (one) => dates.isPassed && one.datesAgree === true);
    for (const { dlqId, messageId } of this.#missing.values()) {
      if (this.#isOver()) return;
      const at = enteredAtOfId(dlqId);
      const range = messageId === null ? { fromDate: at, toDate: at } : { select: { messageId } };
      const listing = await this.#list(range, always);
      const isProof = listing.end === "end" && (messageId !== null || meaning === "entered");
      yield this.#toFinding(listing, isProof ? [dlqId] : []);
    }
  }

  /**
   * An answer with other records comes from a service that does not know the filter: it proves nothing, as a
   * refusal.
   */
  async *#byIds(): Findings {
    const all = [...this.#missing.keys()];
    const chunks: (readonly DlqId[])[] = [];
    for (let i = 0; i < all.length; i += idsPerListing) chunks.push(all.slice(i, i + idsPerListing));
    for (let chunk = chunks.shift(); chunk !== undefined && !this.#isOver(); chunk = chunks.shift()) {
      const asked: ReadonlySet<unknown> = new Set(chunk);
      const listing = await this.#list({ dlqIds: chunk }, always);
      const isFiltered = !listing.hasMore && listing.listed.every((dlqId) => asked.has(dlqId));
      yield this.#toFinding(listing, listing.end === "end" && isFiltered ? chunk : []);
      if (!isFiltered || isRefused(listing.failure)) return;
      if (listing.end === "too-large" && chunk.length > 1) {
        const middle = Math.ceil(chunk.length / 2);
        chunks.unshift(chunk.slice(0, middle), chunk.slice(middle));
      }
    }
  }

  /**
   * The first page of everything. If it is the only one, it proves all. Else it gives a record to test the dates
   * with.
   */
  async *#controlDates(): Findings {
    let same = null as Moments | null;
    const everything = await this.#list({}, (_pages, _listed, records) => {
      same = findSame(records);
      return false;
    });
    yield this.#toFinding(everything, everything.end === "end" ? [...this.#missing.keys()] : []);
    if (same === null || this.#isOver()) return;
    const { dlqId, enteredAt, createdAt } = same;
    const [fromDate, toDate] = [Math.min(enteredAt, createdAt), Math.max(enteredAt, createdAt)];
    const listing = await this.#list({ fromDate, toDate }, always);
    this.#budget.dates.isPassed = listing.listed.includes(dlqId);
    yield this.#toFinding(listing, []);
  }

  /** `marginMs`: on both sides. `isProofOf`: a window that ended without it proves its absence. */
  async *#byWindows(marginMs: number, isProofOf: (wanted: Wanted) => boolean): Findings {
    const whole = joinTimes([...this.#missing.keys()].map(enteredAtOfId));
    // Begins anywhere, so that a window without proof delays the others in one sweep only.
    const begin = Math.floor(this.#source.clock.random() * whole.length);
    const windows = [...whole.slice(begin), ...whole.slice(0, begin)];
    for (let window = windows.shift(); window !== undefined && !this.#isOver(); window = windows.shift()) {
      const { from, to } = window;
      const missing = (): readonly Wanted[] =>
        [...this.#missing.values()].filter(
          ({ dlqId }) => enteredAtOfId(dlqId) >= from && enteredAtOfId(dlqId) <= to,
        );
      const times = (): readonly number[] => missing().map(({ dlqId }) => enteredAtOfId(dlqId));
      if (missing().length === 0) continue;
      let cut: readonly SearchWindow[] | null = null;
      const range = { fromDate: from - marginMs, toDate: to + marginMs };
      const listing = await this.#list(range, (pages, listed) => {
        if (pages > 1) return true;
        cut = cutWindow({ from, to }, times(), listed.map(enteredAtOfId));
        return cut === null;
      });
      const proven = missing().flatMap((one) => (isProofOf(one) ? [one.dlqId] : []));
      yield this.#toFinding(listing, listing.end === "end" ? proven : []);
      // A failed window is not repaired by one call per record.
      if (listing.end === "failed") for (const { dlqId } of missing()) this.#missing.delete(dlqId);
      if (listing.end === "more") windows.unshift(...(cut ?? halve(times()) ?? []));
    }
  }

  #isOver(): boolean {
    return (
      this.#isStopped ||
      this.#missing.size === 0 ||
      this.#budget.callsLeft <= 0 ||
      this.#source.clock.monotonic() >= this.#budget.endsAt ||
      this.#signal.aborted
    );
  }

  release(): void {
    for (const one of this.#held.splice(0)) one();
  }

  async #list(query: Partial<ListQuery>, goesOn: GoesOn): Promise<Listing> {
    this.release();
    const { memory, clock } = this.#source;
    const records: RawRecord[] = [];
    const listed: DlqId[] = [];
    const size = createPageSize();
    let readAt = 0;
    let pages = 0;
    const ended = (end: Listing["end"], failure: unknown = null): Listing => {
      return { records, listed, readAt, end, hasMore: end === "more" || pages > 1, failure };
    };
    /** A caller that holds a page does not wait for another. */
    const waitSignal = () => (this.#held.length === 0 ? () => this.#signal : null);
    const call = (sized: ListQuery): Promise<ListedPage> => {
      this.#budget.callsLeft -= 1;
      return waitWithinBudget(clock, this.#budget.waits, () => listPage(this.#source, sized, this.#signal));
    };
    try {
      for await (const page of followCursor((at) =>
        listWithinMemory(call, { select: {}, ...query, ...at }, size, { memory, waitSignal: waitSignal() }),
      )) {
        this.#held.push(page.release);
        pages += 1;
        if (pages === 1) readAt = page.readAt;
        const onPage = page.records.flatMap(({ dlqId }) =>
          typeof dlqId === "string" ? [dlqId as DlqId] : [],
        );
        listed.push(...onPage);
        for (const raw of page.records) if (this.#missing.delete(raw["dlqId"] as DlqId)) records.push(raw);
        if (page.cursor === undefined) break;
        if (pages >= pagesPerWindow || !goesOn(pages, onPage, page.records) || this.#isOver()) {
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
      this.#isStopped = disposition === "wait" || disposition === "halt" || code === "stopped";
      return ended("failed", error);
    }
  }

  /** `absent`: proven by this listing, if it did not show them. */
  #toFinding({ records, readAt, failure }: Listing, absent: readonly DlqId[]): Finding {
    return { records, readAt, absent: absent.filter((dlqId) => this.#missing.delete(dlqId)), failure };
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
