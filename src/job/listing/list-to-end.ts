import type { RawRecord } from "../message/dead-letter.ts";
import { defined } from "../message/defined.ts";
import { RedriverError } from "../contracts/errors.ts";
import { type ListPage, type ListQuery, serviceNow } from "../contracts/service.ts";
import { enteredAtOf, toEnteredAt } from "../message/parse-record.ts";
import {
  createCursorLoopCheck,
  createListingDeadline,
  endless,
  type ListingDeadline,
} from "./detect-endless-listing.ts";
import {
  createPageSize,
  isTooLarge,
  listWithRetry,
  recordsPerPage,
  type ListedPage,
  type ListingSignals,
  type PageInMemory,
} from "./list-page.ts";
import { cutAround, findTooLarge, isMoment, type DateRange } from "./too-large-records.ts";
import type { SourceRuntime } from "../runtime.ts";

/** Pages: the maximum of any listing, even one that a person waits for. */
const maxPages = 100_000;
/** Each too large record costs a search. A listing with more of them fails; the next knows the found ones. */
const maxCuts = 32;
/** 80 bytes each. Behind this many ids, repeated records are no longer recognised. */
const maxIds = 100_000;
/** Enough for a million records at 6 calls a second. Afterwards a pass is partial, and the next one lists again. */
export const maxListingMs = 1_800_000;
/** The date of a record without a date: outside every range. */
const outside = -1;

export interface ListingPage extends ListedPage, PageInMemory {
  readonly isLast: boolean;
  readonly isBehindCursor: boolean;
  /**
   * Null on a page of records. Otherwise a record with this date, Unix ms by the service's dates, is too large to
   * be read. It was passed over, with what is listed behind it in the same millisecond.
   */
  readonly passedOver: number | null;
  /** Empties `records`, once nobody needs them. Its caller, and this generator, hold the page until the next one. */
  readonly forget: () => void;
}

export type ListingRange = Omit<ListQuery, "count" | "cursor">;

export function toListing(
  { select }: Pick<ListQuery, "select">,
  { from, to }: { readonly from: number; readonly to: number },
): ListingRange {
  return { select, ...(from > 0 ? { fromDate: from } : {}), toDate: to };
}

/** For a caller that works one page at a time: a page holds its memory until the next one is asked for. */
export async function* listToEnd(
  source: SourceRuntime,
  query: ListingRange,
  signals: ListingSignals,
  unlistable: readonly number[] = [],
): AsyncGenerator<ListingPage, void, undefined> {
  for await (const page of listPages(source, query, signals, unlistable)) {
    try {
      yield page;
    } finally {
      page.release();
    }
  }
}

/**
 * Every page of a listing until its cursor ends. A record too large to be read is passed over; after that, a
 * missing record proves nothing. Throws the failure of a page, `stopped` between two pages, `listing-endless`. Its
 * caller releases each page, in any order. `unlistable`: moments that are passed over unasked, because their
 * listing has ended its workers.
 */
export async function* listPages(
  source: SourceRuntime,
  { fromDate, toDate, ...select }: ListingRange,
  signals: ListingSignals,
  unlistable: readonly number[] = [],
): AsyncGenerator<ListingPage, void, undefined> {
  const whole: DateRange = defined({ fromDate, toDate });
  const { fromDate: low = 0, toDate: high = Infinity } = whole;
  const known = [...source.tooLarge.within(whole), ...unlistable.filter((at) => at >= low && at <= high)];
  const moments = [...new Set(known)].toSorted((one, other) => one - other);
  const parts = [...cutAround(whole, moments)];
  // A part that lists some of the records again does not count them twice. Few listings have parts.
  const inFirstPart: unknown[] = [];
  let ids: Set<unknown> | null = null;
  const time = createListingDeadline(source.clock, signals.maxListingMs ?? maxListingMs);
  let cuts = 0;
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    const range = part;
    if (isMoment(range) && unlistable.some((at) => at === range.fromDate)) {
      yield await passOver(source, range.fromDate ?? 0, parts.length === 0);
      continue;
    }
    // At a known moment of a too large record, a page of one record shows whether it is still there.
    const isKnown = isMoment(range) && source.tooLarge.within(range).length > 0;
    const size = createPageSize(isKnown ? 1 : recordsPerPage);
    const list = (at: Pick<ListQuery, "cursor">): Promise<ListedPage & PageInMemory> => {
      refuseStopped(signals);
      return listWithRetry(source, { ...select, ...range, ...at }, size, signals);
    };
    let last: Dated | undefined;
    let isBehindCursor = false;
    try {
      for await (const page of followCursor(list, time)) {
        last = toDated(page.records.at(-1)) ?? last;
        const known = ids;
        const { again } = page;
        // Two records may share an id that is none of the service's.
        const isAgain = (id: unknown) => typeof id === "string" && again.has(id) && toEnteredAt(id) !== null;
        const records =
          known === null && again.size === 0
            ? page.records
            : page.records.filter(
                ({ dlqId: id }) => id === undefined || !(isAgain(id) || known?.has(id) === true),
              );
        if (known === null && inFirstPart.length < maxIds) {
          for (const { dlqId } of page.records) inFirstPart.push(dlqId);
        } else if (known !== null && known.size < maxIds)
          for (const { dlqId } of page.records) known.add(dlqId);
        const isLast = page.cursor === undefined && parts.length === 0;
        const forget = (): void => void (records.length = 0);
        yield { ...page, records, isLast, isBehindCursor, passedOver: null, forget };
        isBehindCursor = true;
      }
    } catch (error) {
      if (!isTooLarge(error)) throw error;
      if (isMoment(range) && range.fromDate !== undefined) {
        source.tooLarge.note(range.fromDate);
        yield await passOver(source, range.fromDate, parts.length === 0);
        continue;
      }
      cuts += 1;
      if (cuts > maxCuts) throw error;
      const at = await findTooLarge({
        range,
        behind: last === undefined ? null : await dateOf(source, last),
        now: serviceNow(source),
        retentionMs: source.config.retentionMs,
        isBlocked: (probed) => isBlocked(source, { ...select, ...probed }, signals),
      });
      source.tooLarge.note(at);
      ids ??= new Set(inFirstPart.splice(0));
      if (ids.size >= maxIds) throw error;
      parts.unshift(...cutAround(range, [at]));
    }
  }
}

/**
 * Every page until the cursor ends, and which of its ids pages before had: where cursors are positions, what enters at the
 * head moves others to the next page. A short page means nothing. Throws as `list` does, and `listing-endless`.
 */
export async function* followCursor<Page extends ListPage>(
  list: (at: { readonly cursor?: string }) => Promise<Page>,
  time?: ListingDeadline,
): AsyncGenerator<Page & { readonly again: ReadonlySet<string> }, void, undefined> {
  const check = createCursorLoopCheck();
  let at: { readonly cursor?: string } = {};
  for (let pages = 0; pages < maxPages; pages += 1) {
    const from = at;
    const page = await (time === undefined ? list(from) : time.page(() => list(from)));
    const { cursor } = page;
    // Its caller may empty the page.
    const { again, whyNoMore } = check(page, time?.spentMs());
    yield { ...page, again };
    if (cursor === undefined) return;
    if (whyNoMore !== null) throw whyNoMore;
    at = { cursor };
  }
  throw endless(`the listing did not end within ${maxPages} pages`);
}

async function isBlocked(source: SourceRuntime, query: ListingRange, signals: ListingSignals) {
  refuseStopped(signals);
  try {
    (await listWithRetry(source, query, createPageSize(1), signals)).release();
    return false;
  } catch (error) {
    if (isTooLarge(error)) return true;
    throw error;
  }
}

const holdsNothing = (): void => undefined;
const nothing = { records: [], asked: 0, isBehindCursor: false, release: holdsNothing, forget: holdsNothing };

async function passOver(source: SourceRuntime, at: number, isLast: boolean): Promise<ListingPage> {
  source.events.emit({ type: "record:passed-over", source: source.config.id, date: at });
  return { ...nothing, readAt: await source.readAt(), isLast, passedOver: at };
}

/** The dates of a record, without its body: the next page is read while this is kept. */
type Dated = Pick<RawRecord, "dlqId" | "createdAt">;

function toDated(record: RawRecord | undefined): Dated | undefined {
  return record === undefined ? undefined : { dlqId: record["dlqId"], createdAt: record["createdAt"] };
}

async function dateOf({ book }: SourceRuntime, record: Dated): Promise<number> {
  const { createdAt } = record;
  if ((await book.datesMean()) === "created") return typeof createdAt === "number" ? createdAt : outside;
  return enteredAtOf(record) ?? outside;
}

function refuseStopped({ stopping }: ListingSignals): void {
  if (!stopping.aborted) return;
  throw new RedriverError("stopped", "stopped before the end of the listing", { cause: stopping.reason });
}
