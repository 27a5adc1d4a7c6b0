import type { DateRange } from "./date-range.ts";

const dayMs = 86_400_000;

export interface TooLargeSearch {
  /** The range of the listing that met the record. */
  readonly range: DateRange;
  /** The date of the record before it. Null: it was the first. Outside the range: dates mean something else. */
  readonly behind: number | null;
  /** Unix ms by the service's clock. */
  readonly now: number;
  readonly retentionMs: number;
  /** True if the first record of this part, in the service's order, is too large. */
  readonly isBlocked: (part: DateRange) => Promise<boolean>;
}

/**
 * Finds the moment of a record that is too large to be listed. Nothing of it can be read, not even its id. But if it is the first
 * record of a part, it is also the first of the half that holds it, in whatever order the service lists. So one record of a half
 * shows which half holds it: some 30 calls for three days, most of them answered by another record or none.
 *
 * If it is the first of no part, the answer is another moment, at which the range can be cut as well.
 */
export async function findTooLarge(search: TooLargeSearch): Promise<number> {
  const { range, behind, now } = search;
  const low = range.fromDate ?? 0;
  const high = Math.max(low, range.toDate ?? now + dayMs);
  if (behind === null) return narrow(search, low, high, "low");
  if (behind < low || behind > high) return Math.floor((low + high) / 2);
  if (behind < high && (await search.isBlocked({ fromDate: behind + 1, toDate: high }))) {
    return narrow(search, behind + 1, high, "low");
  }
  if (behind > low && (await search.isBlocked(toRange(low, behind - 1)))) {
    return narrow(search, low, behind - 1, "high");
  }
  return behind;
}

/** Halves the part that holds it. Asks for the half where it is less likely, so that few answers are too large. */
async function narrow(
  { now, retentionMs, isBlocked }: TooLargeSearch,
  from: number,
  to: number,
  likely: "low" | "high",
): Promise<number> {
  let [low, high] = [from, to];
  const oldest = now - retentionMs - dayMs;
  if (low < oldest && oldest < high) {
    if (await isBlocked({ fromDate: oldest, toDate: high })) low = oldest;
    else high = oldest - 1;
  }
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const isHigh =
      likely === "low"
        ? await isBlocked({ fromDate: middle + 1, toDate: high })
        : !(await isBlocked(toRange(low, middle)));
    if (isHigh) low = middle + 1;
    else high = middle;
  }
  return low;
}

function toRange(low: number, high: number): DateRange {
  return low > 0 ? { fromDate: low, toDate: high } : { toDate: high };
}
