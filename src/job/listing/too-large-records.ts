/** Nothing of such a record can be read. It is found by its date, and listings go around that moment. */
import { dayMs } from "./record-dates.ts";
import { BoundedMap } from "../../bounded-map.ts";
import type { Clock } from "../contracts/clock.ts";

/** Inclusive, Unix ms, by the service's dates. An absent end is open. */
export interface DateRange {
  readonly fromDate?: number;
  readonly toDate?: number;
}

export function isMoment({ fromDate, toDate }: DateRange): boolean {
  return fromDate !== undefined && fromDate === toDate;
}

export function cutAround(range: DateRange, moments: readonly number[]): readonly DateRange[] {
  const parts: DateRange[] = [];
  let rest: DateRange | null = range;
  for (const at of moments) {
    if (rest === null) break;
    if (rest.fromDate !== at) parts.push({ ...rest, toDate: at - 1 });
    parts.push({ fromDate: at, toDate: at });
    rest = rest.toDate === at ? null : { ...rest, fromDate: at + 1 };
  }
  return rest === null ? parts : [...parts, rest];
}

const rememberedMs = 3_600_000;
/** Forgetting one costs a search of some forty small listings. */
const maxRemembered = 1_000;

/** For an hour after they were met. They only cut listings: an outdated one costs two calls and hides nothing. */
export function createTooLargeDates(clock: Pick<Clock, "monotonic">) {
  const until = new BoundedMap<number, number>(maxRemembered);
  return {
    within({ fromDate = 0, toDate = Infinity }: DateRange): readonly number[] {
      const now = clock.monotonic();
      for (const [at, end] of until) if (end <= now) until.delete(at);
      return [...until.keys()]
        .filter((at) => at >= fromDate && at <= toDate)
        .toSorted((one, other) => one - other);
    },
    note: (at: number): void => void until.set(at, clock.monotonic() + rememberedMs),
  };
}

export interface TooLargeSearch {
  readonly range: DateRange;
  /** The date of the record before it; null: it was the first. Outside the range, dates mean another thing. */
  readonly behind: number | null;
  readonly now: number;
  readonly retentionMs: number;
  /** True if the first record of this part, in the service's order, is too large. */
  readonly isBlocked: (part: DateRange) => Promise<boolean>;
}

/**
 * If the record is the first of a part, it is also the first of the half that has it, in whatever order. So one
 * record of a half shows which half has it: some 30 calls for three days, most of them answered by another record
 * or none. If it is the first of no part, the answer is another moment to cut the range at.
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

/** Halves the part that has it. Asks for the less likely half, so that few answers are too large. */
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
