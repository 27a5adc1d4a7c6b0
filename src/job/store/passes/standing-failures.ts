/** What is known of each kind of failure: its standing counts, and what the open pass has found since. Pure. */
import {
  arrivalHours,
  isAgainId,
  resolvedAfterMs,
  toAgainId,
  type CountedAgain,
  type FailureCount,
  type FailureCounts,
  type HourlyArrivals,
  type StandingFailure,
} from "../../contracts/failures.ts";
import { isRecalled } from "../../contracts/passes.ts";
import { toHashEntries } from "../hash-entries.ts";

const hourMs = 3_600_000;

type Named = Readonly<Record<string, number>>;

/** As pass-prelude.lua.ts has it. */
export type Standing = Readonly<
  Record<"w" | "q" | "n" | "p" | "f", number> &
    Partial<Record<"g" | "l" | "m" | "h" | "o" | "s" | "t" | "e", number>> &
    Partial<Record<"d" | "x" | "b", Named>>
>;

export function toPairs<Value>(flat: readonly string[] | object): ReadonlyMap<string, Value> {
  return new Map(toHashEntries(flat).map(([field, text]) => [field, JSON.parse(text) as Value]));
}

export function toStanding(
  standing: ReadonlyMap<string, Standing>,
  found: ReadonlyMap<string, FailureCounts>,
  isCounted: boolean,
  progressAt = 0,
  isFull = false,
): readonly StandingFailure[] {
  const sums = new Map<string, { -readonly [Name in keyof Standing]: Standing[Name] }>();
  for (const [id, one] of standing) sums.set(id, { ...one });
  const firstNow = new Map<string, number>();
  const decided = new Map<string, Named>();
  for (const [window, failures] of found) {
    for (const [id, count] of Object.entries(failures)) {
      const sum = sums.get(id) ?? { w: 0, q: 0, n: 0, p: 0, f: 0 };
      sums.set(id, sum);
      const { published = 0, dropped = 0, parked = 0, firstAt, oldestAt, lastArrivedAt } = count;
      const arrived = arrivedOf(count);
      if (published + dropped > 0) sum.t = progressAt;
      sum.w += arrived - published - dropped;
      sum.q += parked;
      sum.n += arrived;
      sum.p += published;
      sum.g = (sum.g ?? 0) + (count.discarded ?? 0);
      sum.f += (count.failedAgain ?? 0) + (count.cameBack ?? 0);
      sum.b = addNamed(sum.b, count.failedAgainOf);
      if (lastArrivedAt !== undefined) sum.l = Math.max(sum.l ?? 0, lastArrivedAt);
      if (window !== "acts") decided.set(id, addNamed(decided.get(id), count.ruled));
      if (firstAt !== undefined) {
        sum.s = Math.min(sum.s ?? Infinity, firstAt);
        firstNow.set(id, Math.min(firstNow.get(id) ?? Infinity, firstAt));
      }
      if (oldestAt !== undefined) sum.o = Math.min(sum.o ?? Infinity, oldestAt);
      if (!isCounted && !isRecalled(window)) sum.x = addNamed(sum.x, count.expires);
      if (count.expiresDone !== undefined) sum.x = addNamed(sum.x, negated(count.expiresDone));
    }
  }
  // At its end a full pass has decided everything anew: until then its decisions are among those that are known.
  for (const [id, ruled] of decided) {
    const sum = sums.get(id)!;
    sum.d = isFull ? most(sum.d, ruled) : addNamed(sum.d, ruled);
  }
  for (const [id, firstAt] of firstNow) {
    if (isReopening(standing.get(id), firstAt)) sums.get(id)!.e = firstAt;
  }
  for (const [id, hours] of toArrivals(new Map(), found, 0)) {
    const sum = sums.get(id)!;
    sum.m = Math.max(sum.m ?? 0, ...Object.values(hours));
  }
  const failedAgainAs = moveToSent(sums);
  return [...sums].flatMap(([id, one]): readonly StandingFailure[] => {
    if (isAgainId(id)) return [];
    const { w, p, f, g = 0, l = null, m = 0, o = null, s = null, t = 0, e = 0 } = one;
    const again = sums.get(toAgainId(id));
    const isThere = w > 0;
    return [
      {
        id,
        ...countedOf(one),
        published: p,
        discarded: g,
        failedAgain: f,
        failedAgainAs: failedAgainAs.get(id) ?? {},
        lastArrivedAt: l,
        largestHour: m,
        oldestAt: isThere ? o : null,
        since: isThere ? (s ?? o) : null,
        lastMovedAt: Math.max(l ?? 0, t),
        reopenedAt: e,
        ...(again === undefined ? {} : { again: countedOf(again) }),
      },
    ];
  });
}

/** Waits and parks may be below 0 until the next full pass, if a process ended before it had written its counts. */
function countedOf({ w, q, n, h = 0, x = {}, d = {} }: Standing): CountedAgain {
  const there = Math.max(0, w);
  const parked = Math.min(there, Math.max(0, q));
  return { waiting: there - parked, parked, arrived: Math.max(n, h), expires: x, ruled: d };
}

/** Counts come-backs for the kind that was sent, if it is known. Answers by kind what they are now. */
function moveToSent(sums: ReadonlyMap<string, { f: number; b?: Named }>): ReadonlyMap<string, Named> {
  const moved = new Map<string, Named>();
  for (const [id, one] of sums) {
    for (const [of, count] of isAgainId(id) ? [] : Object.entries(one.b ?? {})) {
      const sent = sums.get(of);
      if (sent === undefined) continue;
      one.f -= count;
      sent.f += count;
      moved.set(of, { ...moved.get(of), [id]: count });
    }
  }
  return moved;
}

/** As `addStanding` of the scripts has it. */
function isReopening(before: Standing | undefined, firstAt: number): boolean {
  const { w = 0, l = 0, t = 0, e = 0 } = before ?? {};
  const movedAt = Math.max(l, t);
  return w <= 0 && firstAt - movedAt > resolvedAfterMs && e <= movedAt;
}

export interface StoredArrivals {
  /** As in `StoredFacts`. */
  readonly arrivals: readonly string[] | object;
  readonly found: readonly string[] | object;
  /** Redis time, Unix ms. */
  readonly now: number;
}

export function toHourlyArrivals({
  arrivals,
  found,
  now,
}: StoredArrivals): ReadonlyMap<string, HourlyArrivals> {
  const all = toArrivals(
    toPairs<HourlyArrivals>(arrivals),
    toPairs<FailureCounts>(found),
    Math.floor(now / hourMs) - arrivalHours,
  );
  return new Map(
    [...all].flatMap(([id, hours]) => {
      const again = all.get(toAgainId(id));
      if (isAgainId(id)) return [];
      return [[id, again === undefined ? hours : addNamed(hours, negated(again))]];
    }),
  );
}

/** Those after this hour: what was counted, and what the open pass has found since. */
function toArrivals(
  counted: ReadonlyMap<string, HourlyArrivals>,
  found: ReadonlyMap<string, FailureCounts>,
  after: number,
): ReadonlyMap<string, HourlyArrivals> {
  const sums = new Map(counted);
  for (const failures of found.values()) {
    for (const [id, { arrived }] of Object.entries(failures)) {
      if (arrived !== undefined) sums.set(id, addNamed(sums.get(id) ?? {}, arrived));
    }
  }
  for (const [id, hours] of sums) {
    // Most have nothing that is older, and a hundred hours.
    if (firstHour(hours) > after) continue;
    sums.set(id, Object.fromEntries(Object.entries(hours).filter(([hour]) => Number(hour) > after)));
  }
  return sums;
}

/** Whole numbers are enumerated in their order. */
function firstHour(hours: HourlyArrivals): number {
  for (const hour in hours) return Number(hour);
  return Infinity;
}

function addNamed(sums: Named = {}, more?: Named): Named {
  if (more === undefined) return sums;
  const all = { ...sums };
  for (const [name, count] of Object.entries(more)) all[name] = (all[name] ?? 0) + count;
  return all;
}

function most(known: Named = {}, counts: Named): Named {
  const all = { ...known };
  for (const [name, count] of Object.entries(counts)) all[name] = Math.max(all[name] ?? 0, count);
  return all;
}

function negated(counts: Named): Named {
  return Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, -count]));
}

export function arrivedOf({ arrived = {} }: FailureCount): number {
  return Object.values(arrived).reduce((sum, count) => sum + count, 0);
}

export function toGone(
  standing: ReadonlyMap<string, Standing>,
  found: ReadonlyMap<string, FailureCounts>,
): Named {
  const gone: Record<string, number> = {};
  for (const [id, { n, w }] of standing) gone[id] = n - w;
  for (const failures of found.values()) {
    for (const [id, { published = 0, dropped = 0 }] of Object.entries(failures)) {
      gone[id] = (gone[id] ?? 0) + published + dropped;
    }
  }
  return gone;
}
