import { groupBy } from "../../group-items-by-key.ts";
import {
  countedOnce,
  type Expiring,
  type ExpiringGroup,
  type QueueFacts,
} from "../../job/contracts/queue-facts.ts";
import type { ExpiresByHour } from "../../job/contracts/source-book.ts";

const hourMs = 3_600_000;
const dayHours = 24;

type SourceCounts = Pick<QueueFacts["sources"][number], "census" | "failures">;
type DrainCounts = Pick<QueueFacts["drains"][number], "drain" | "facts" | "retentionMs"> & {
  readonly selectsEverything: boolean;
};

/**
 * What of a source expires within a day: what full passes of its drains left, less what is done since, and what the
 * census counted of no drain. While a drain is not counted, it is what the census counted in all. Pure. `now`: Unix ms.
 */
export function toExpiring(
  { census, failures }: SourceCounts,
  drains: readonly DrainCounts[],
  now: number,
): Expiring {
  const hour = Math.floor(now / hourMs);
  const by = (hour + dayHours + 1) * hourMs;
  const within = (hours: ExpiresByHour): number =>
    Object.entries(hours).reduce(
      (sum, [at, count]) => (Number(at) < hour || Number(at) * hourMs >= by ? sum : sum + Math.max(0, count)),
      0,
    );
  const originOf = new Map(failures.map(({ id, origin }) => [id, origin]));
  const groups = drains.flatMap(({ drain, facts, retentionMs }) =>
    (facts?.failures ?? []).flatMap((kind): readonly ExpiringGroup[] => {
      const { id, waiting, parked, expires, oldestAt } = kind;
      // With a day of retention everything expires within one, what has just arrived too.
      const isAll = retentionMs <= dayHours * hourMs;
      const count = Math.min(isAll ? Infinity : within(expires), waiting + parked);
      if (count === 0) return [];
      const first = Math.min(
        ...Object.keys(expires)
          .filter((at) => (expires[at] ?? 0) > 0 && Number(at) >= hour)
          .map(Number),
      );
      const known = oldestAt === null ? now : oldestAt + retentionMs;
      const earliestAt = Number.isFinite(first) ? Math.max(known, first * hourMs) : known;
      return [{ drain, failure: id, origin: originOf.get(id) ?? null, count, waiting, parked, earliestAt }];
    }),
  );
  const unselected = within(census?.expires?.unselected ?? {});
  const { oldestUnselectedAt = null, oldestEnteredAt = null, earliestExpiryAt = null } = census ?? {};
  const retentionMs = (earliestExpiryAt ?? 0) - (oldestEnteredAt ?? 0);
  if (unselected > 0) {
    const earliestAt = Math.max(now, (oldestUnselectedAt ?? now) + retentionMs);
    groups.push({
      drain: null,
      failure: null,
      origin: null,
      count: unselected,
      waiting: 0,
      parked: 0,
      earliestAt,
    });
  }
  const byKind = groupBy(groups, ({ failure }) => failure);
  const surplusOf = (kind: string | null): number =>
    kind === null ? 0 : (census?.shared?.surplus[kind] ?? 0);
  const listed = [...byKind].reduce(
    (sum, [kind, of]) =>
      sum +
      countedOnce(
        of.map(({ count }) => count),
        surplusOf(kind),
      ),
    0,
  );
  const inCensus = census?.expires === undefined ? null : within(census.expires.all);
  const countedAt = drains.map(({ facts }) => (facts?.seen === null ? facts.lastFullAt : null));
  const others = drains.some((one) => one.selectsEverything)
    ? Infinity
    : ((census?.expires && census.at) ?? null);
  const at = [...countedAt, others];
  const isListed = at.every((one) => one !== null);
  const count = isListed ? listed : inCensus;
  return {
    count,
    atLeast: count ?? listed,
    by,
    asOf: count === null ? null : isListed ? Math.min(...at) : (census?.at ?? null),
    groups: groups.toSorted((one, other) => one.earliestAt - other.earliestAt || other.count - one.count),
  };
}
