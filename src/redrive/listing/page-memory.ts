/**
 * How much of the process's memory a page of one source may take, before it is read:
 *
 *   size learned ─► count ─► answer bytes allowed ─► lease for reading ─► read, cut off above ─► lease for what it holds ─► released
 *
 * A page has one lease, for everything that becomes of it: the answer, its text, the records, their items, the body in flight and
 * its answer.
 */
import { createByteBudget, type ByteBudget, type Lease } from "./byte-budget.ts";
import { createRecordSizes } from "./record-sizes.ts";

/**
 * Bytes of memory for each byte of an answer, from its first byte to the last of its batch, with what V8 has not yet collected. Measured
 * (docs/memory.md): 6 where a character takes one byte, 10 where it takes two.
 */
export const readingFactor = 10;
/** And once it is parsed: the answer and its text are garbage then. */
export const workingFactor = 6;
/** A share is filled by records of average size up to this part of it … */
const filling = 0.75;
/** … and an answer is allowed so much more than its records take on average, as far as its share goes. */
const margin = 2;
/** No answer is allowed less: an error has a text, and a page of small records is not worth counting. */
const minAnswerBytes = 262_144;
/** Around an answer of so many bytes garbage is collected: it takes some 30 ms, and such a page half a second. */
const worthCollectingBytes = 4_194_304;

export interface PageMemory {
  /** The most records that a page may be asked for, at least 1. */
  mostRecords(): number;
  /** The most that an answer with this many records may have: a share of the budget, and all of it for a single record. */
  mostBytes(count: number): number;
  /** What an answer with this many records is expected to have at most; `mostBytes` while nothing is known. */
  usualBytes(count: number): number;
  /** Whether a page of one record is so large that no page of more would have been read. */
  isLargeOne(records: number, answerBytes: number): boolean;
  /** WaitBudget for room to read an answer of at most so many bytes. Throws `stopped`. */
  acquire(answerBytes: number, signal: AbortSignal): Promise<PageLease>;
  /** Null where it would have to wait. For who holds a page already. */
  tryAcquire(answerBytes: number): PageLease | null;
}

export interface PageLease {
  /** The page was read: so many records in an answer of so many bytes. */
  read(records: number, answerBytes: number): void;
  release(): void;
}

export interface PageMemoryParts {
  readonly budget: ByteBudget;
  /** How many pages fit into the budget at once, however large they are but for a page of a single record. */
  readonly shares: number;
  /** The longest answer that is read at all. */
  readonly maxAnswerBytes: number;
  /** Frees what nobody uses any more; called around answers that are worth it. */
  readonly collectGarbage: () => void;
}

/** For one source. */
export function createPageMemory(parts: PageMemoryParts): PageMemory {
  const { budget, shares, maxAnswerBytes } = parts;
  const sizes = createRecordSizes();
  let wasLarge = false;
  const shareBytes = Math.min(maxAnswerBytes, Math.floor(budget.total / shares / readingFactor));
  const mostBytes = (count: number): number => (count === 1 ? maxAnswerBytes : shareBytes);
  /** While nothing is known of the records of this source, one page of it is read at a time: it may be a source that never ends one. */
  const firstPage = createByteBudget(1);
  const toPageLease = (lease: Lease, first: Lease | null): PageLease => ({
    read(records, answerBytes) {
      sizes.note(records, answerBytes);
      first?.release();
      lease.shrink(answerBytes * workingFactor);
      wasLarge = answerBytes >= worthCollectingBytes;
      // The answer and its text, before its records are encoded.
      if (wasLarge) parts.collectGarbage();
    },
    release() {
      lease.release();
      first?.release();
    },
  });
  /** Of the page before. */
  const collectLeftOver = (): void => {
    if (wasLarge) parts.collectGarbage();
    wasLarge = false;
  };
  return {
    mostRecords() {
      const mean = sizes.mean();
      return mean === null ? Infinity : Math.max(1, Math.floor((filling * shareBytes) / mean));
    },
    mostBytes,
    usualBytes(count) {
      const mean = sizes.mean();
      const most = mostBytes(count);
      return mean === null
        ? most
        : Math.min(most, Math.max(minAnswerBytes, Math.ceil(margin * mean * count)));
    },
    isLargeOne: (records, answerBytes) => records === 1 && answerBytes > shareBytes / 2,
    async acquire(answerBytes, signal) {
      const first = sizes.mean() === null ? await firstPage.acquire(1, signal) : null;
      try {
        const lease = await budget.acquire(answerBytes * readingFactor, signal);
        collectLeftOver();
        return toPageLease(lease, first);
      } catch (error) {
        first?.release();
        throw error;
      }
    },
    tryAcquire(answerBytes) {
      const isFirst = sizes.mean() === null;
      const first = isFirst ? firstPage.tryAcquire(1) : null;
      if (isFirst && first === null) return null;
      const lease = budget.tryAcquire(answerBytes * readingFactor);
      if (lease === null) {
        first?.release();
        return null;
      }
      collectLeftOver();
      return toPageLease(lease, first);
    },
  };
}
