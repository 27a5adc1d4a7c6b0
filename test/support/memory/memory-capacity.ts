import type { Clock } from "../../../src/ports/clock.ts";
import type { DrainName, PassId, SourceId } from "../../../src/ports/ids.ts";
import type { Capacity, CapacityQuery, CapacityRequest, CapacityVerdict } from "../../../src/ports/limits.ts";
import {
  countsForCeilings,
  dayMs,
  toCountedRates,
  type CountedRate,
} from "../../../src/store/capacity/counted-rates.ts";

/** One second's worth may be a million grants, so they are kept by the moment at which they are noted. */
type Grants = Map<number, number>;

interface Drain {
  readonly rates: Map<string, Grants>;
  readonly passes: Map<PassId, number>;
  day: { readonly number: number; readonly count: number };
}

/** The reference for the scripts in lua.ts: capacity of one process, as plainly as it can be said. Nothing is forgotten for want of use. */
export function createMemoryCapacity(clock: Pick<Clock, "now">): Capacity {
  const drains = new Map<string, Drain>();
  const drainOf = (source: SourceId, drain: DrainName): Drain => {
    const known = drains.get(`${source} ${drain}`);
    if (known !== undefined) return known;
    const made: Drain = { rates: new Map(), passes: new Map(), day: { number: 0, count: 0 } };
    drains.set(`${source} ${drain}`, made);
    return made;
  };

  return {
    take(query) {
      const now = clock.now();
      const drain = drainOf(query.source, query.drain);
      const { rates, needs } = toCountedRates(query);
      const waiting = rates.map(() => 0);
      const verdicts = query.requests.map((request, index): CapacityVerdict => {
        const ceiling = ceilingOf(drain, query, request, now);
        if (ceiling !== null) return ceiling;
        const needed = (needs[index] ?? []).flatMap((position) => {
          const rate = rates[position];
          return rate === undefined ? [] : [{ rate, position, grants: liveGrants(drain, rate, now) }];
        });
        if (needed.every(({ rate, grants }) => used(grants) < rate.spacing.max)) {
          for (const { rate, grants } of needed) add(grants, slotEnd(now, rate), 1);
          if (countsForCeilings(request)) count(drain, query, now);
          return { kind: "granted" };
        }
        let latest: Extract<CapacityVerdict, { kind: "wait" }> | null = null;
        for (const { rate, position, grants } of needed) {
          const rank = (waiting[position] ?? 0) + 1;
          waiting[position] = rank;
          const until = freeAt(grants, rate, rank, now);
          if (until > (latest?.until ?? now)) latest = { kind: "wait", by: rate.kind, until };
        }
        return latest ?? { kind: "granted" };
      });
      return Promise.resolve({ verdicts, at: now });
    },

    giveBack(query, at) {
      const drain = drainOf(query.source, query.drain);
      const { rates, needs } = toCountedRates(query);
      for (const position of needs.flat()) {
        const rate = rates[position];
        const grants = rate === undefined ? undefined : drain.rates.get(rate.name);
        if (rate !== undefined && grants !== undefined) add(grants, slotEnd(at, rate), -1);
      }
      const counted = query.requests.filter(countsForCeilings).length;
      if (query.passId !== null) {
        drain.passes.set(query.passId, Math.max(0, (drain.passes.get(query.passId) ?? 0) - counted));
      }
      if (drain.day.number === toDay(at)) {
        drain.day = { ...drain.day, count: Math.max(0, drain.day.count - counted) };
      }
      return Promise.resolve();
    },

    used({ source, drain: name, passId }) {
      const at = clock.now();
      const { day, passes } = drainOf(source, name);
      return Promise.resolve({
        at,
        day: day.number === toDay(at) ? day.count : 0,
        pass: passId === null ? 0 : (passes.get(passId) ?? 0),
        dayEndsAt: (toDay(at) + 1) * dayMs,
      });
    },
  };
}

function ceilingOf(
  drain: Drain,
  { passId, limits }: CapacityQuery,
  request: CapacityRequest,
  now: number,
): CapacityVerdict | null {
  if (!countsForCeilings(request)) return null;
  const today = toDay(now);
  if (limits.perDay !== undefined && drain.day.number === today && drain.day.count >= limits.perDay) {
    return { kind: "ceiling", by: "day", until: (today + 1) * dayMs };
  }
  if (passId !== null && limits.perPass !== undefined && (drain.passes.get(passId) ?? 0) >= limits.perPass) {
    return { kind: "ceiling", by: "pass", until: null };
  }
  return null;
}

function count(drain: Drain, { passId, limits }: CapacityQuery, now: number): void {
  const today = toDay(now);
  if (limits.perDay !== undefined) {
    drain.day = { number: today, count: (drain.day.number === today ? drain.day.count : 0) + 1 };
  }
  if (limits.perPass !== undefined && passId !== null) {
    drain.passes.set(passId, (drain.passes.get(passId) ?? 0) + 1);
  }
}

function liveGrants(drain: Drain, { name, spacing }: CountedRate, now: number): Grants {
  const grants: Grants = drain.rates.get(name) ?? new Map<number, number>();
  drain.rates.set(name, grants);
  for (const at of grants.keys()) if (at + spacing.spanMs <= now) grants.delete(at);
  return grants;
}

/** Cannot take back what is no longer noted. */
function add(grants: Grants, at: number, by: 1 | -1): void {
  const sum = (grants.get(at) ?? 0) + by;
  if (sum > 0) grants.set(at, sum);
  else grants.delete(at);
}

function used(grants: Grants): number {
  return [...grants.values()].reduce((sum, one) => sum + one, 0);
}

/** When the `rank`-th of those that wait for this rate is granted, if nobody else comes. */
function freeAt(grants: Grants, { spacing }: CountedRate, rank: number, now: number): number {
  const ends = [...grants].flatMap(([at, times]) => Array<number>(times).fill(at + spacing.spanMs));
  // The rank-th waits for the moment at which fewer than `most` are left of what is noted and of those before it.
  const ahead = [...Array<number>(Math.max(0, spacing.max - ends.length)).fill(now), ...ends];
  const place = (rank - 1) % spacing.max;
  const first = ahead[ahead.length - spacing.max + place] ?? now;
  return first + Math.floor((rank - 1) / spacing.max) * spacing.spanMs;
}

function slotEnd(at: number, { spacing }: CountedRate): number {
  return Math.ceil(at / spacing.slotMs) * spacing.slotMs;
}

function toDay(at: number): number {
  return Math.floor(at / dayMs);
}
