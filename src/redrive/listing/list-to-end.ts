import type { RawRecord } from "../../message/dead-letter.ts";
import { RedriverError } from "../../ports/errors.ts";
import type { ListQuery } from "../../ports/service.ts";
import { cutAround, isMoment, type DateRange } from "./date-range.ts";
import { enteredAtOf } from "./drain-selects.ts";
import { findTooLarge } from "./find-too-large.ts";
import { followCursor } from "./follow-cursor.ts";
import { createPageSize, isTooLarge, recordsPerPage, type Held } from "./list-fitting.ts";
import type { ListedPage } from "./list-page.ts";
import { listWithRetry, type ListingSignals } from "./list-with-retry.ts";
import { createListingTime, type ListingTime } from "./listing-deadline.ts";
import { serviceNow, type SourceRuntime } from "../runtime.ts";

/** Each costs a search, so a listing with more records that are too large fails; the next one begins with what is known of these. */
const maxCuts = 32;
/** 80 bytes each. What was listed before is not told apart behind this many. */
const mostIds = 100_000;
/**
 * A million records at 6 calls a second. A window, a command or a look that ends so has worked on what it has seen; its pass is
 * partial, and the next one lists again.
 */
export const maxListingMs = 1_800_000;
/** For a record without a date: no range has it. */
const outside = -1;

export interface ListingPage extends ListedPage {
  readonly isLast: boolean;
  /** Whether it was asked for by the cursor of the page before. */
  readonly isBehindCursor: boolean;
  /**
   * Null on a page of records. Else there are none on it: a record with this date (Unix ms, as the service's dates mean it) is
   * larger than may be read, and was passed over with what the service lists behind it in the same millisecond.
   */
  readonly passedOver: number | null;
  /** How many records it was asked for; 0 where it was passed over. */
  readonly asked: number;
}

/**
 * Every page of a listing until its cursor ends; a short page means nothing. A record that is too large to be read is searched
 * for by dates, told, and passed over; nothing may be concluded then from what is not on any page. Throws RedriverErrors: what keeps
 * a page from being listed, `stopped` between two pages, `listing-endless`.
 *
 * A page holds its part of the memory budget until the next one is asked for.
 */
export async function* listToEnd(
  source: SourceRuntime,
  { fromDate, toDate, ...select }: Omit<ListQuery, "count" | "cursor">,
  signals: ListingSignals,
): AsyncGenerator<ListingPage, void, undefined> {
  const whole: DateRange = {
    ...(fromDate === undefined ? {} : { fromDate }),
    ...(toDate === undefined ? {} : { toDate }),
  };
  const parts = [...cutAround(whole, source.tooLarge.within(whole))];
  const listed = createListed();
  const time = createListingTime(source.clock, signals.maxListingMs ?? maxListingMs);
  let cuts = 0;
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    const range = part;
    let last: Dated | undefined;
    let isBehindCursor = false;
    try {
      for await (const page of listPart(source, { ...select, ...range }, signals, time)) {
        try {
          last = toDated(page.records.at(-1)) ?? last;
          const records = listed.add(page.records, cuts > 0);
          const isLast = page.cursor === undefined && parts.length === 0;
          yield { ...page, records, isLast, isBehindCursor, passedOver: null };
        } finally {
          page.release();
        }
        isBehindCursor = true;
      }
    } catch (error) {
      if (!isTooLarge(error)) throw error;
      if (isMoment(range) && range.fromDate !== undefined) {
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
      if (!listed.knowsAll()) throw error;
      parts.unshift(...cutAround(range, [at]));
    }
  }
}

async function* listPart(
  source: SourceRuntime,
  query: Omit<ListQuery, "count" | "cursor">,
  signals: ListingSignals,
  time: ListingTime,
): AsyncGenerator<ListedPage & Held, void, undefined> {
  // A moment that is known for a record which is too large begins with the page that tells.
  const isKnown = isMoment(query) && source.tooLarge.within(query).length > 0;
  const size = createPageSize(isKnown ? 1 : recordsPerPage);
  yield* followCursor((at) => {
    refuseStopped(signals);
    return listWithRetry(source, { ...query, ...at }, size, signals);
  }, time);
}

async function isBlocked(
  source: SourceRuntime,
  query: Omit<ListQuery, "count" | "cursor">,
  signals: ListingSignals,
): Promise<boolean> {
  refuseStopped(signals);
  try {
    (await listWithRetry(source, query, createPageSize(1), signals)).release();
    return false;
  } catch (error) {
    if (isTooLarge(error)) return true;
    throw error;
  }
}

async function passOver(source: SourceRuntime, at: number, isLast: boolean): Promise<ListingPage> {
  source.tooLarge.note(at);
  source.events.emit({ type: "record:passed-over", source: source.config.id, date: at });
  const { at: readAt } = await source.ledger.now();
  return { records: [], readAt, isLast, isBehindCursor: false, passedOver: at, asked: 0 };
}

/** What tells a record's dates, without the rest of it: the next page is read while this is kept. */
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

/** What one listing has shown, so that parts which list some of it once more do not count it twice. */
function createListed() {
  const ids = new Set<unknown>();
  return {
    knowsAll: () => ids.size < mostIds,
    /** Answers what is to be told: with `isAgain`, only what is new. */
    add(records: readonly RawRecord[], isAgain: boolean): readonly RawRecord[] {
      const fresh = isAgain ? records.filter(({ dlqId }) => dlqId === undefined || !ids.has(dlqId)) : records;
      if (ids.size < mostIds) for (const { dlqId } of records) if (dlqId !== undefined) ids.add(dlqId);
      return fresh;
    },
  };
}
