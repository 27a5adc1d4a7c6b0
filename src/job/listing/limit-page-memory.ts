/**
 * Limits how much of the process's memory a page of one source takes, before it is read:
 *
 *   size learned ─► count ─► turn ─► asked for ─► answer begins: lease for reading
 *     ─► read, cut off above ─► lease for its records ─► released
 *
 * A page has one lease for its whole life: the answer, its text, the records, their items, the body in flight and its
 * answer. Its turn comes before it is asked for, and is a lease of what the source may use if others use nothing. So
 * one source never asks for more than it can read, and a source that does not answer takes nothing from others.
 */
import { createByteBudget, type ByteBudget, type Lease } from "./byte-budget.ts";

/**
 * Until a batch ends, garbage included. Measured (docs/internals/memory.md): 6 at one byte a character, 10 at two.
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

/** What ends a wait for memory; null for a caller that holds a page, and so does not wait. */
export type WaitSignal = (() => AbortSignal) | null;

/** Thrown instead of waiting for memory while already holding a page. */
export const noRoom = new Error("there is no memory for a page beside the one that is worked on");

export interface PageMemoryParts {
  readonly budget: ByteBudget;
  /** How many pages at once share the budget, except pages of a single large record. */
  readonly shares: number;
  readonly maxAnswerBytes: number;
  readonly collectGarbage: () => void;
}

export type PageMemory = ReturnType<typeof createPageMemory>;

export function createPageMemory({ budget, shares, maxAnswerBytes, collectGarbage }: PageMemoryParts) {
  const sizes = createRecordSizes();
  let wasLarge = false;
  let saysLength = false;
  const shareBytes = Math.min(maxAnswerBytes, Math.floor(budget.total / shares / readingFactor));
  /** The allowed answer bytes for so many records: a share of the budget, or any length for one record. */
  const limitBytes = (count: number): number => (count === 1 ? maxAnswerBytes : shareBytes);
  /** Until record sizes are known, this source lists one page at a time. */
  const firstPage = createByteBudget(1);
  const turns = createByteBudget(budget.total);
  const takeFirst = async (waitSignal: WaitSignal): Promise<Lease | null> => {
    if (sizes.mean() !== null) return null;
    const first = await take(firstPage, 1, waitSignal);
    if (sizes.mean() === null) return first;
    first.release();
    return null;
  };
  const collectLeftOver = (): void => {
    if (wasLarge) collectGarbage();
    wasLarge = false;
  };
  const toPageLease = (turn: Lease, first: Lease | null, waitSignal: WaitSignal) => {
    let lease: Lease | null = null;
    const reads = (taken: Lease | null): boolean => {
      if (taken === null) return false;
      lease = taken;
      collectLeftOver();
      return true;
    };
    return {
      /** Takes memory to read an answer that says its length, or has at most `maxBytes`. False: there is none now. */
      mayRead(saidBytes: number | undefined, maxBytes: number): boolean {
        saysLength = saidBytes !== undefined;
        return lease !== null || reads(budget.tryAcquire((saidBytes ?? maxBytes) * readingFactor));
      },
      async waitToRead(maxBytes: number): Promise<void> {
        if (lease === null) reads(await take(budget, maxBytes * readingFactor, waitSignal));
      },
      read(records: number, answerBytes: number): void {
        sizes.note(records, answerBytes);
        first?.release();
        for (const one of [turn, lease]) one?.shrink(answerBytes * workingFactor);
        wasLarge = answerBytes >= worthCollectingBytes;
        // The answer and its text, before its records are encoded.
        if (wasLarge) collectGarbage();
      },
      release(): void {
        for (const one of [turn, lease, first]) one?.release();
      },
    };
  };
  /** The expected maximum answer bytes for this many records; `limitBytes` while nothing is known. */
  const usualBytes = (count: number): number => {
    const mean = sizes.mean();
    const max = limitBytes(count);
    return mean === null ? max : Math.min(max, Math.max(minAnswerBytes, Math.ceil(margin * mean * count)));
  };
  /** What a page of this many records takes when its answer begins: its length if said, else the maximum. */
  const turnBytes = (count: number): number => {
    const mean = sizes.mean();
    if (mean === null) return shareBytes;
    return saysLength ? Math.min(limitBytes(count), Math.ceil(mean * count)) : usualBytes(count);
  };
  return {
    maxRecords(): number {
      const mean = sizes.mean();
      return mean === null ? Infinity : Math.max(1, Math.floor((filling * shareBytes) / mean));
    },
    limitBytes,
    usualBytes,
    /** True if a page of one record is so large that a page of more would not have been read. */
    isLargeOne: (records: number, answerBytes: number): boolean =>
      records === 1 && answerBytes > shareBytes / 2,
    /** True if a page may be read ahead: the other half is left to listings that have no page yet. */
    hasSpare: (): boolean => budget.used() <= budget.total / 2,
    /** Waits for its turn to ask. Calls `toCount` once the first page is read. Throws `stopped`, or `noRoom`. */
    async takeTurn(toCount: () => number, waitSignal: WaitSignal) {
      const first = await takeFirst(waitSignal);
      try {
        const turn = await take(turns, turnBytes(toCount()) * readingFactor, waitSignal);
        return toPageLease(turn, first, waitSignal);
      } catch (error) {
        first?.release();
        throw error;
      }
    },
  };
}

async function take(budget: ByteBudget, bytes: number, waitSignal: WaitSignal): Promise<Lease> {
  const lease = budget.tryAcquire(bytes);
  if (lease !== null) return lease;
  if (waitSignal === null) throw noRoom;
  return budget.acquire(bytes, waitSignal());
}

/** Enough that one large record does not make the next pages small. */
const recordsRemembered = 400;

function createRecordSizes() {
  let records = 0;
  let bytes = 0;
  return {
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
