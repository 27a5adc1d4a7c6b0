import { isRedriverError } from "../../ports/errors.ts";
import type { ListPage, ListQuery, MayRead } from "../../ports/service.ts";
import type { PageLease, PageMemory } from "./page-memory.ts";

/** The most that the service lists at once. */
export const recordsPerPage = 100;
/** A page of large records is tried with more of them again after this many that fitted: one answer in nine may be in vain. */
const pagesBeforeMore = 8;
const step = 4;

/** How many records the next page is asked for; of one listing. */
export interface PageSize {
  count: number;
  fitted: number;
  /** The last answer was too large: the next one may be as large as any with its number of records. */
  isSurprised: boolean;
}

/** A listing that begins with one record does so because that may be too large. */
export const createPageSize = (count = recordsPerPage): PageSize => ({
  count,
  fitted: 0,
  isSurprised: count === 1,
});

/** What a page keeps of the budget until nobody works on its records any more. */
export interface Held {
  /** How many records it was asked for. */
  readonly asked: number;
  /** Safe to call twice. */
  readonly release: () => void;
}

/** Thrown by who holds a page already and would have to wait for room for another. */
export const noRoom = new Error("there is no memory for a page beside the one that is worked on");

/** Takes room for an answer of so many bytes. Throws what keeps a page from being listed. */
export type TakeRoom = (answerBytes: number) => Promise<PageLease>;

/**
 * One page of as many records as memory has room for; it has to be released. Room is taken when the answer begins: a source that
 * does not answer keeps none from others. If there is none then, the answer is given up, and the page is asked for again when there is.
 * Throws as `list` and `take` do; `answer-too-large` where not even one record fits into what may be read.
 */
export async function listFitting<Page extends ListPage>(
  list: (query: ListQuery) => Promise<Page>,
  query: Omit<ListQuery, "count" | "maxBytes" | "mayRead">,
  size: PageSize,
  { memory, take }: { readonly memory: PageMemory; readonly take: TakeRoom },
): Promise<Page & Held> {
  for (;;) {
    const count = Math.min(size.count, memory.mostRecords());
    const mostBytes = memory.mostBytes(count);
    const maxBytes = size.isSurprised ? mostBytes : memory.usualBytes(count);
    const room = createRoom(memory, take, maxBytes);
    try {
      const page = await room.list((mayRead) => list({ ...query, count, maxBytes, mayRead }));
      const lease = await room.lease();
      lease.read(page.records.length, page.bytes ?? maxBytes);
      // What made pages small is behind: those that follow are as the source's usually are.
      if (memory.isLargeOne(page.records.length, page.bytes ?? 0)) size.count = recordsPerPage;
      fits(size);
      return { ...page, asked: count, release: lease.release };
    } catch (error) {
      room.release();
      if (!isTooLarge(error)) throw error;
      if (count === 1 && maxBytes === mostBytes) throw error;
      size.count = Math.ceil(count / step);
      size.fitted = 0;
      size.isSurprised = true;
    }
  }
}

/** The room for one page: taken without a wait when its answer begins, or waited for and kept for the next try. */
function createRoom(memory: PageMemory, take: TakeRoom, maxBytes: number) {
  let held: PageLease | null = null;
  let isCrowded = false;
  const mayRead: MayRead = (saidBytes = maxBytes) => {
    // It is not read either, without any room.
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
    /** Of whoever has read without asking. */
    lease: async (): Promise<PageLease> => (held ??= await take(maxBytes)),
    release(): void {
      held?.release();
      held = null;
    },
  };
}

function fits(size: PageSize): void {
  size.isSurprised = false;
  size.fitted += 1;
  if (size.fitted < pagesBeforeMore) return;
  size.count = Math.min(size.count * step, recordsPerPage);
  size.fitted = 0;
}

export function isTooLarge(error: unknown): boolean {
  return isRedriverError(error) && error.code === "answer-too-large";
}
