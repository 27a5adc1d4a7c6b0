import { isRedriverError } from "../../ports/errors.ts";
import type { ListPage, ListQuery, MayRead } from "../../ports/service.ts";
import type { PageLease, PageMemory } from "./limit-page-memory.ts";

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

/** Thrown instead of waiting for memory while already holding a page. */
export const noRoom = new Error("there is no memory for a page beside the one that is worked on");

/** Takes memory for an answer of this many bytes. Throws what keeps a page from being listed. */
export type TakeRoom = (answerBytes: number) => Promise<PageLease>;

/** For a caller that holds a page. */
export const takeAtOnce =
  (memory: PageMemory): TakeRoom =>
  async (answerBytes) => {
    const lease = memory.tryAcquire(answerBytes);
    if (lease === null) throw noRoom;
    return lease;
  };

/**
 * Lists one page with as many records as memory allows. The caller releases it. Memory is taken when the
 * answer begins, so a source that does not answer holds none. If there is no memory then, the answer is
 * dropped and the page is asked for again later. Throws as `list` and `take` do, and `answer-too-large` if
 * not even one record fits into the allowed bytes.
 */
export async function listWithinMemory<Page extends ListPage>(
  list: (query: ListQuery) => Promise<Page>,
  query: Omit<ListQuery, "count" | "maxBytes" | "mayRead">,
  size: PageSize,
  { memory, take }: { readonly memory: PageMemory; readonly take: TakeRoom },
): Promise<Page & PageInMemory> {
  for (;;) {
    const count = Math.min(size.count, memory.maxRecords());
    const limitBytes = memory.limitBytes(count);
    const maxBytes = size.expectsLargeAnswer ? limitBytes : memory.usualBytes(count);
    const room = createRoom(memory, take, maxBytes);
    try {
      const page = await room.list((mayRead) => list({ ...query, count, maxBytes, mayRead }));
      const lease = await room.lease();
      lease.read(page.records.length, page.bytes ?? maxBytes);
      // The large record is behind, so the next pages are of usual size.
      if (memory.isLargeOne(page.records.length, page.bytes ?? 0)) size.count = recordsPerPage;
      noteFit(size);
      return { ...page, asked: count, release: lease.release };
    } catch (error) {
      room.release();
      if (!isTooLarge(error)) throw error;
      if (count === 1 && maxBytes === limitBytes) throw error;
      size.count = Math.ceil(count / step);
      size.fitted = 0;
      size.expectsLargeAnswer = true;
    }
  }
}

/** The memory of a page: taken without a wait when its answer begins, or waited for before the next try. */
function createRoom(memory: PageMemory, take: TakeRoom, maxBytes: number) {
  let held: PageLease | null = null;
  let isCrowded = false;
  const mayRead: MayRead = (saidBytes = maxBytes) => {
    // An answer this long is not read at all, so it needs no memory.
    if (saidBytes > maxBytes) return true;
    held ??= memory.tryAcquire(saidBytes);
    isCrowded = held === null;
    return !isCrowded;
  };
  return {
    async list<Page>(call: (mayRead: MayRead) => Promise<Page>): Promise<Page> {
      for (;;) {
        isCrowded = false;
        try {
          return await call(mayRead);
        } catch (error) {
          if (!isCrowded || !isTooLarge(error)) throw error;
          held = await take(maxBytes);
        }
      }
    },
    /** The lease, also for a `list` that read without asking. */
    lease: async (): Promise<PageLease> => (held ??= await take(maxBytes)),
    release(): void {
      held?.release();
      held = null;
    },
  };
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
