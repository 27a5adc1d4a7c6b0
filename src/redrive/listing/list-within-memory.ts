import { isRedriverError } from "../../ports/errors.ts";
import type { ListPage, ListQuery, MayRead } from "../../ports/service.ts";
import type { PageLease, PageMemory, WaitSignal } from "./limit-page-memory.ts";

/** The service lists at most this many at once. */
export const recordsPerPage = 100;
/** After so many pages that fit, the next asks for more records again: one answer in nine may be in vain. */
const pagesBeforeMore = 8;
const step = 4;

/** How many records the next page of one listing asks for. */
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
  /** The number of records asked for. */
  readonly asked: number;
  /** Releases its memory, once its records are done. Safe to call twice. */
  readonly release: () => void;
}

/**
 * Lists one page with as many records as memory allows. The caller releases it. Its turn comes before it is
 * asked for, and memory is taken when the answer begins, so a source that does not answer holds none. If
 * other sources leave no memory then, the answer is dropped and the page is asked for again later. Throws as
 * `list` and `takeTurn` do, and `answer-too-large` if not even one record fits into the allowed bytes.
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
    try {
      const page = await listOnce((mayRead) => list({ ...query, count, maxBytes, mayRead }), lease, maxBytes);
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

/** Takes memory without a wait when the answer begins. If there is none, the next try waits for it. */
async function listOnce<Page>(
  call: (mayRead: MayRead) => Promise<Page>,
  lease: PageLease,
  maxBytes: number,
): Promise<Page> {
  for (;;) {
    let isCrowded = false;
    const mayRead: MayRead = (saidBytes) => {
      // An answer that is too long is not read at all, so it needs no memory.
      isCrowded = (saidBytes ?? 0) <= maxBytes && !lease.mayRead(saidBytes, maxBytes);
      return !isCrowded;
    };
    try {
      const page = await call(mayRead);
      // For a `list` that read without asking.
      await lease.waitToRead(maxBytes);
      return page;
    } catch (error) {
      if (!isCrowded || !isTooLarge(error)) throw error;
      await lease.waitToRead(maxBytes);
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
