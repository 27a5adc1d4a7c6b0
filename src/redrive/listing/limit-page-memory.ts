/**
 * Limits how much of the process's memory a page of one source takes, before it is read:
 *
 *   size learned ─► count ─► answer bytes allowed ─► lease for reading
 *     ─► read, cut off above ─► lease for its records ─► released
 *
 * A page has one lease for its whole life: the answer, its text, the records, their items, the body in flight
 * and its answer.
 */
import { createByteBudget, type ByteBudget, type Lease } from "./byte-budget.ts";

/**
 * Bytes of memory per byte of an answer, from its first byte to the end of its batch, uncollected garbage
 * included. Measured (docs/memory.md): 6 if a character takes one byte, 10 if it takes two.
 */
export const readingFactor = 10;
/** The same once it is parsed: then the answer and its text are garbage. */
export const workingFactor = 6;
/** Records of average size fill a share up to this part … */
const filling = 0.75;
/** … and an answer may be this many times its average, within its share. */
const margin = 2;
/** Every answer may have this much: errors have a text, and pages of small records are not worth counting. */
const minAnswerBytes = 262_144;
/** Garbage is collected around an answer this large. It takes some 30 ms, and such a page half a second. */
const worthCollectingBytes = 4_194_304;

export interface PageLease {
  /** Reports that the page was read, with its records and answer bytes. */
  read(records: number, answerBytes: number): void;
  release(): void;
}

export interface PageMemoryParts {
  readonly budget: ByteBudget;
  /** How many pages at once share the budget, except pages of a single large record. */
  readonly shares: number;
  /** The longest answer that is ever read. */
  readonly maxAnswerBytes: number;
  /** Called around large answers. */
  readonly collectGarbage: () => void;
}

export type PageMemory = ReturnType<typeof createPageMemory>;

/** The page memory of one source. */
export function createPageMemory({ budget, shares, maxAnswerBytes, collectGarbage }: PageMemoryParts) {
  const sizes = createRecordSizes();
  let wasLarge = false;
  const shareBytes = Math.min(maxAnswerBytes, Math.floor(budget.total / shares / readingFactor));
  /** The allowed answer bytes for so many records: a share of the budget, or any length for one record. */
  const limitBytes = (count: number): number => (count === 1 ? maxAnswerBytes : shareBytes);
  /** Until record sizes are known, this source reads one page at a time. */
  const firstPage = createByteBudget(1);
  const toPageLease = (lease: Lease, first: Lease | null): PageLease => ({
    read(records, answerBytes) {
      sizes.note(records, answerBytes);
      first?.release();
      lease.shrink(answerBytes * workingFactor);
      wasLarge = answerBytes >= worthCollectingBytes;
      // The answer and its text, before its records are encoded.
      if (wasLarge) collectGarbage();
    },
    release() {
      lease.release();
      first?.release();
    },
  });
  /** Collects the garbage of the page before. */
  const collectLeftOver = (): void => {
    if (wasLarge) collectGarbage();
    wasLarge = false;
  };
  return {
    /** How many records a page may ask for; at least 1. */
    maxRecords(): number {
      const mean = sizes.mean();
      return mean === null ? Infinity : Math.max(1, Math.floor((filling * shareBytes) / mean));
    },
    limitBytes,
    /** The expected maximum answer bytes for this many records; `limitBytes` while nothing is known. */
    usualBytes(count: number): number {
      const mean = sizes.mean();
      const max = limitBytes(count);
      return mean === null ? max : Math.min(max, Math.max(minAnswerBytes, Math.ceil(margin * mean * count)));
    },
    /** True if a page of one record is so large that a page of more would not have been read. */
    isLargeOne: (records: number, answerBytes: number): boolean =>
      records === 1 && answerBytes > shareBytes / 2,
    /** True if a page may be read ahead: the other half is left to listings that have no page yet. */
    hasSpare: (): boolean => budget.used() <= budget.total / 2,
    /** Waits for memory to read an answer of at most this many bytes. Throws `stopped`. */
    async acquire(answerBytes: number, signal: AbortSignal): Promise<PageLease> {
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
    /** Null if it would have to wait. For callers that already hold a page. */
    tryAcquire(answerBytes: number): PageLease | null {
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

/** Enough that one large record does not make the next pages small. */
const recordsRemembered = 400;

/** The mean size of a source's records in a listing, as this process has seen them. */
function createRecordSizes() {
  let records = 0;
  let bytes = 0;
  return {
    /** Bytes per record; null: not known yet. */
    mean: (): number | null => (records === 0 ? null : bytes / records),
    note(moreRecords: number, moreBytes: number): void {
      records += moreRecords;
      bytes += moreRecords === 0 ? 0 : moreBytes;
      if (records <= recordsRemembered) return;
      bytes *= recordsRemembered / records;
      records = recordsRemembered;
    },
  };
}
