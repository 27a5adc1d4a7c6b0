import type { CountedAgain, StandingFailure } from "../../job/contracts/failures.ts";
import type { Expiring, QueueFacts } from "../../job/contracts/queue-facts.ts";
import { nearExpiryMs, type ExpiresByHour } from "../../job/contracts/source-book.ts";
import type { FailureOfDrain } from "./counts-by-kind.ts";
import { hourMs, sumOf } from "./totals.ts";

const dayHours = 24;
type DrainCounts = Pick<QueueFacts["drains"][number], "drain" | "facts" | "retentionMs" | "isOutdated"> & {
  readonly selectsEverything: boolean;
  /** How near its expiry it copies a record; null: it makes no copies. */
  readonly copiesWithinMs: number | null;
};

/**
 * What of a source expires within a day: what full passes of its drains left, less what is done since, and what the
 * census counted of no drain. While a drain is not counted, it is what the census counted in all. Pure. `now`: Unix ms.
 */
export function toExpiring(
  { census, failures }: Pick<QueueFacts["sources"][number], "census" | "failures">,
  drains: readonly DrainCounts[],
  counts: ReadonlyMap<string, readonly FailureOfDrain[]>,
  now: number,
): Expiring {
  const hour = Math.floor(now / hourMs);
  const by = (hour + dayHours + 1) * hourMs;
  const within = (hours: ExpiresByHour, before = by): number => {
    let sum = 0;
    // No list of pairs: there are hundreds of kinds, each with its hours.
    for (const at of Object.keys(hours)) {
      if (Number(at) >= hour && (Number(at) + 1) * hourMs <= before) sum += Math.max(0, hours[at] ?? 0);
    }
    return sum;
  };
  // Only if that census met none near its expiry without a copy.
  const isCopied = census?.expiringUnarchived === 0 && census.expiringAccepted === 0;
  const originOf = new Map(failures.map(({ id, origin }) => [id, origin]));
  const hasAll = drains.some((one) => one.selectsEverything);
  const groups: Expiring["groups"][number][] = [...counts].flatMap(([failure, own]) => {
    const some = own.flatMap((kind) => {
      const { drain, waiting, parked, ruled, expires, again } = kind;
      const { retentionMs = 0, copiesWithinMs = null } = drains.find((one) => one.drain === drain) ?? {};
      // With a day of retention everything expires within one, what has just arrived too.
      const isAll = retentionMs <= dayHours * hourMs;
      const countOf = (of: CountedAgain): number =>
        Math.min(isAll ? Infinity : within(of.expires), of.waiting + of.parked);
      const count = countOf(kind);
      if (count === 0) return [];
      const earliestAt = toEarliestExpiry(kind, retentionMs, now);
      const near = copiesWithinMs === null ? 0 : within(expires, (census?.at ?? 0) + copiesWithinMs);
      const often = again === undefined ? 0 : countOf(again);
      const first = within(expires, toEndOfHour(earliestAt));
      return [{ earliestAt, first, near, often, of: { drain, count, waiting, parked, ruled } }];
    });
    if (some.length === 0) return [];
    // What one drain lists never expires as 0, because the drain that counts it has not counted it yet.
    const once = sumOf(some, ({ of, often }) => of.count - often);
    const count = once > 0 ? once : Math.max(...some.map(({ of }) => of.count));
    const near = Math.min(count, ...some.map((one) => one.near));
    const [only, second] = some;
    return {
      failure,
      origin: originOf.get(failure) ?? null,
      count,
      earliestAt: Math.min(...some.map(({ earliestAt }) => earliestAt)),
      inFirstHour: second === undefined ? Math.min(count, only!.first) : null,
      copied: isCopied && near > 0 ? near : null,
      drains: some.map(({ of }) => of),
    };
  });
  const listed = groups.reduce((sum, { count }) => sum + count, 0);
  const {
    expires,
    oldestUnselectedAt = null,
    oldestEnteredAt = null,
    earliestExpiryAt = null,
  } = census ?? {};
  const ofCensus = census?.isOutdated === true ? undefined : expires;
  const unselected = within(ofCensus?.unselected ?? {});
  if (unselected > 0) {
    const retentionMs = (earliestExpiryAt ?? 0) - (oldestEnteredAt ?? 0);
    const hours = ofCensus?.unselected ?? {};
    const near = within(hours, (census?.at ?? 0) + nearExpiryMs);
    const earliestAt = toEarliestExpiry({ oldestAt: oldestUnselectedAt, expires: hours }, retentionMs, now);
    groups.push({
      failure: null,
      origin: null,
      count: unselected,
      earliestAt,
      inFirstHour: Math.min(unselected, within(hours, toEndOfHour(earliestAt))),
      copied: isCopied && near > 0 ? near : null,
      drains: [],
    });
  }
  const inCensus = ofCensus === undefined ? null : within(ofCensus.all);
  const countedAt = drains.map(({ facts, isOutdated }) =>
    facts?.gone === null && isOutdated !== true ? facts.lastFullAt : null,
  );
  const at = [...countedAt, hasAll ? Infinity : ((ofCensus && census?.at) ?? null)];
  const isListed = at.every((one) => one !== null);
  const count = isListed ? listed + unselected : inCensus;
  return {
    count,
    atLeast: count ?? listed + unselected,
    by,
    asOf: count === null ? null : isListed ? Math.min(...at) : (census?.at ?? null),
    groups: groups.toSorted((one, other) => one.earliestAt - other.earliestAt || other.count - one.count),
  };
}

export function toEndOfHour(at: number): number {
  return (Math.floor(at / hourMs) + 1) * hourMs;
}

/** None of a kind expires before this: those that would are done since a full pass has counted them. */
export function toEarliestExpiry(
  { oldestAt, expires }: Pick<StandingFailure, "oldestAt" | "expires">,
  retentionMs: number,
  now: number,
): number {
  const hour = Math.floor(now / hourMs);
  let [first, last] = [Infinity, -Infinity];
  for (const key of Object.keys(expires)) {
    const at = Number(key);
    last = Math.max(last, at);
    if (at >= hour && at < first && (expires[key] ?? 0) > 0) first = at;
  }
  const firstAt = first === Infinity ? last : first;
  return Math.max(oldestAt === null ? now : oldestAt + retentionMs, firstAt * hourMs);
}
