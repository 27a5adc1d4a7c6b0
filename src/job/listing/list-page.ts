import type { RawRecord } from "../message/dead-letter.ts";
import { withoutLeft } from "../message/select.ts";
import { sleptFully } from "../contracts/clock.ts";
import { isRedriverError, RedriverError } from "../contracts/errors.ts";
import type { ListPage, ListQuery, MayRead } from "../contracts/service.ts";
import { withOwnCallback } from "../message/proof-callback-url.ts";
import type { SourceRuntime } from "../runtime.ts";
import type { PageMemory, WaitSignal } from "./limit-page-memory.ts";

/** The service lists at most this many at once. */
export const recordsPerPage = 100;
/** After so many pages that fit, the next asks for more records again: one answer in nine may be in vain. */
const pagesBeforeMore = 8;
const step = 4;
/** Enough for an error or a small record, for a call that only asks whether the service answers. */
export const smallAnswerBytes = 262_144;

/** Before a failed page is asked for again by its cursor. A window that started over would never end. */
const listAgainAfterMs = [500, 2_000, 8_000];
/** Deletes that the same limit rejected go first (wait-budget.ts): listed records also have to be settled. */
const giveWayMs = 200;
/** A rate limit up to this long is waited for in place. A longer one is thrown to the caller. */
const maxWaitMs = 60_000;

export interface ListingSignals {
  readonly signal: AbortSignal;
  readonly stopping: AbortSignal;
  /** How long it may wait for the service in all (detect-endless-listing.ts). Absent: half an hour. */
  readonly maxListingMs?: number;
  /** Waits before a failed page is asked for again, ms. Absent: as a pass, over ten seconds in all. */
  readonly againAfterMs?: readonly number[];
}

export type ListedPage = ListPage & { readonly readAt: number };

export interface PageSize {
  count: number;
  fitted: number;
  /** The last answer was too large, so the next one may be as large as any with its number of records. */
  expectsLargeAnswer: boolean;
}

/** A listing begins with one record if that record may be too large. */
export const createPageSize = (count = recordsPerPage): PageSize => ({
  count,
  fitted: 0,
  expectsLargeAnswer: count === 1,
});

export interface PageInMemory {
  readonly asked: number;
  /** Releases its memory, once its records are done. Safe to call twice. */
  readonly release: () => void;
}

/** One page with as many records as fit, asked for again if that helps. The caller releases it. */
export async function listWithRetry(
  source: SourceRuntime,
  query: Omit<ListQuery, "count">,
  size: PageSize,
  { signal, stopping, againAfterMs = listAgainAfterMs }: ListingSignals,
): Promise<ListedPage & PageInMemory> {
  const { memory } = source;
  const waitSignal = () => AbortSignal.any([signal, stopping]);
  for (let failures = 0; ;) {
    try {
      const list = (sized: ListQuery): Promise<ListedPage> => listPage(source, sized, signal);
      return withoutLeft(await listWithinMemory(list, query, size, { memory, waitSignal }), query.select);
    } catch (error) {
      if (!isRedriverError(error) || isTooLarge(error)) throw error;
      let waitMs: number | undefined;
      if (error.disposition === "wait") {
        waitMs = Math.max(0, (error.retryAt ?? 0) - source.clock.now()) + giveWayMs;
      }
      if (error.disposition === "retry") {
        waitMs = againAfterMs[failures];
        if (waitMs !== undefined && !source.health.takeRetry()) throw error;
        failures += 1;
      }
      if (waitMs === undefined || waitMs > maxWaitMs) throw error;
      // Jitter, so that windows that were rejected together do not return together.
      const ended = waitSignal();
      if (await sleptFully(source.clock, waitMs + source.clock.random() * 500, ended)) continue;
      throw new RedriverError("stopped", "stopped before a page was asked for again", {
        cause: ended.reason,
      });
    }
  }
}

/**
 * Lists one page with as many records as memory allows. The caller releases it. Memory is taken when the answer
 * begins, so a source that does not answer holds none. If there is none then, the answer is dropped and asked for
 * again. Throws as `list` and `takeTurn` do, and `answer-too-large` if not even one record fits.
 */
export async function listWithinMemory<Page extends ListPage>(
  list: (query: ListQuery) => Promise<Page>,
  query: Omit<ListQuery, "count" | "maxBytes" | "mayRead">,
  size: PageSize,
  { memory, waitSignal }: { readonly memory: PageMemory; readonly waitSignal: WaitSignal },
): Promise<Page & PageInMemory> {
  const toCount = (): number => Math.min(size.count, memory.maxRecords());
  for (;;) {
    const lease = await memory.takeTurn(toCount, waitSignal);
    const count = toCount();
    const limitBytes = memory.limitBytes(count);
    const maxBytes = size.expectsLargeAnswer ? limitBytes : memory.usualBytes(count);
    let isCrowded = false;
    const mayRead: MayRead = (saidBytes) => {
      // An answer that is too long is not read at all, so it needs no memory.
      isCrowded = (saidBytes ?? 0) <= maxBytes && !lease.mayRead(saidBytes, maxBytes);
      return !isCrowded;
    };
    const ask = (): Promise<Page> => list({ ...query, count, maxBytes, mayRead });
    try {
      let page = await ask().catch((error: unknown) => {
        if (isCrowded && isTooLarge(error)) return null;
        throw error;
      });
      // Also for a `list` that read without asking.
      await lease.waitToRead(maxBytes);
      page ??= await ask();
      lease.read(page.records.length, page.bytes ?? maxBytes);
      // The large record is behind, so the next pages are of usual size.
      if (memory.isLargeOne(page.records.length, page.bytes ?? 0)) size.count = recordsPerPage;
      noteFit(size);
      return { ...page, asked: count, release: lease.release };
    } catch (error) {
      lease.release();
      if (!isTooLarge(error)) throw error;
      if (count === 1 && maxBytes === limitBytes) throw error;
      size.count = Math.ceil(count / step);
      size.fitted = 0;
      size.expectsLargeAnswer = true;
    }
  }
}

function noteFit(size: PageSize): void {
  size.expectsLargeAnswer = false;
  size.fitted += 1;
  if (size.fitted < pagesBeforeMore) return;
  size.count = Math.min(size.count * step, recordsPerPage);
  size.fitted = 0;
}

export function isTooLarge(error: unknown): boolean {
  return isRedriverError(error) && error.code === "answer-too-large";
}

/** One GET. `readAt`: Redis time before it. What died with our callback gets its own back, for rules and archive. */
export async function listPage(
  source: SourceRuntime,
  query: ListQuery,
  signal: AbortSignal,
): Promise<ListedPage> {
  source.health.check();
  const readAt = await source.readAt();
  try {
    const page = await source.service.list(query, signal);
    const keys = source.lineageKeys();
    const opened = (raw: RawRecord) => (raw["callback"] === undefined ? raw : withOwnCallback(raw, keys));
    return { ...page, records: page.records.map(opened), readAt };
  } catch (error) {
    source.health.note(error);
    throw error;
  }
}
