/** Dead letters that no drain selects, by kind, as the census of their source counted. */
import type { QueueFacts } from "../../job/contracts/queue-facts.ts";
import type { Core } from "../../job/door.ts";
import { hourMs, sumOf, toCount, toExpired, toExpiredSince, type Certain } from "./totals.ts";

export type OfNoDrain = ReturnType<typeof toOfNoDrain>[number];

/** Of a census that counted as the document has the drains. Another one may have counted what a drain has now. */
export function toUnselected(
  sources: readonly Pick<QueueFacts["sources"][number], "census">[],
  now: number,
): Certain {
  const thisHour = Math.floor(now / hourMs);
  const parts = sources.flatMap(({ census }) => {
    if (census === null || census.isOutdated) return [];
    const { unselected, expires, oldestUnselectedAt: oldestAt } = census;
    const retentionMs = (census.earliestExpiryAt ?? 0) - (census.oldestEnteredAt ?? 0);
    // As the table of what expires has them: those of the hours before are gone.
    const left: Record<string, number> = { ...expires?.unselected };
    const over = Object.keys(left).filter((hour) => Number(hour) < thisHour);
    const count = unselected - sumOf(over, (hour) => left[hour] ?? 0);
    for (const hour of over) left[hour] = 0;
    return [{ count, expiredSince: toExpiredSince({ oldestAt, expires: left }, retentionMs, now) }];
  });
  return { count: sumOf(parts, toCount), isExact: true, ...toExpired(parts, toCount) };
}

export function toExpiredKind({ count, expiresAt }: OfNoDrain["kinds"][number], now: number) {
  return { count, expiredSince: expiresAt !== null && expiresAt <= now ? expiresAt : undefined };
}

export function toOfNoDrain(
  { sources }: Core,
  facts: Pick<QueueFacts, "sources">,
  isOrigin: (origin: string) => boolean,
) {
  return facts.sources.flatMap(({ source, census }) => {
    const retentionMs = sources.get(source)?.runtime.config.retentionMs ?? NaN;
    const kinds = (census?.unselectedKinds ?? [])
      .filter(({ origin }) => isOrigin(origin))
      .map((kind) => ({ ...kind, expiresAt: kind.since === null ? null : kind.since + retentionMs }));
    if (census === null || census.isOutdated || kinds.length === 0) return [];
    const others = census.unselected - sumOf(census.unselectedKinds ?? [], ({ count }) => count);
    // `others`: of kinds that the census does not name.
    return [{ source, at: census.at, others, comeBacks: census.strayComeBacks.count, kinds }];
  });
}

export function onlyKind(all: readonly OfNoDrain[], id: string): readonly OfNoDrain[] {
  return all.flatMap((one) => {
    const kinds = one.kinds.filter((kind) => kind.id === id);
    return kinds.length === 0 ? [] : [{ ...one, kinds }];
  });
}
