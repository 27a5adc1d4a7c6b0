import type { Order, Records } from "./records.ts";

interface DlqQuery {
  /** Both inclusive, Unix ms. */
  readonly fromDate: number;
  readonly toDate: number;
  readonly count: number;
  readonly cursor: string | null;
}

/** Which records are still in the dead letter queue. A cursor is the number from which the listing goes on, so deletes before it do not move it. */
export function createDeadLetters(records: Records, order: Order) {
  const isGone = new Uint8Array(records.count);
  let remaining = records.count;
  const isEarliestFirst = order === "earliest-first";

  /** The first number whose record entered at `time` or later. */
  function firstFrom(time: number): number {
    let low = 0;
    let high = records.count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (records.enteredAt(middle) < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
  /** -1: none. */
  const nextThere = (from: number): number =>
    isEarliestFirst ? isGone.indexOf(0, from) : from < 0 ? -1 : isGone.lastIndexOf(0, from);

  return {
    list({ fromDate, toDate, count, cursor }: DlqQuery) {
      const low = firstFrom(fromDate);
      const high = firstFrom(toDate + 1) - 1;
      const step = isEarliestFirst ? 1 : -1;
      const numbers: number[] = [];
      let at = nextThere(cursor === null ? (isEarliestFirst ? low : high) : Number(cursor));
      while (at >= low && at <= high && numbers.length < count) {
        numbers.push(at);
        at = nextThere(at + step);
      }
      const isMore = at >= low && at <= high;
      return { numbers, cursor: isMore ? String(at) : null };
    },
    /** How many of these were still there. */
    remove(numbers: readonly number[]): number {
      let removed = 0;
      for (const number of numbers) {
        if (isGone[number] !== 0) continue;
        isGone[number] = 1;
        removed += 1;
      }
      remaining -= removed;
      return removed;
    },
    remaining: () => remaining,
  };
}
