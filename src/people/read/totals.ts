import type { StandingFailure } from "../../job/contracts/failures.ts";
import type { DrainFacts } from "../../job/contracts/passes.ts";
import type { Destination, SharedRecords } from "../../job/contracts/queue-facts.ts";

export function sumOf<Item>(items: readonly Item[], toNumber: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + toNumber(item), 0);
}

type Name = "waiting" | "parked";

export interface Expired {
  /** Unix ms: what expires from then on is not taken off until the next full pass or census. Absent: nothing does. */
  readonly expiredSince?: number | undefined;
}

interface Part extends Readonly<Record<Name, number>>, Expired {
  readonly again?: SharedRecords | undefined;
}

export interface CountedSoFar extends Expired {
  readonly stillCounting: boolean;
}

/** A count, or at least so many; and in both cases less what has expired. */
export interface Certain extends Expired {
  readonly count: number;
  readonly isExact: boolean;
}

export const hourMs = 3_600_000;

/** From when on what was counted may have expired; undefined: from later than now. Pure. Times are Unix ms. */
export function toExpiredSince(
  { oldestAt, expires }: Pick<StandingFailure, "oldestAt" | "expires">,
  retentionMs: number,
  now: number,
): number | undefined {
  if (oldestAt === null || oldestAt + retentionMs > now) return undefined;
  const hours = Object.keys(expires);
  // The oldest may have been published: then those of the first hour that has any are the first.
  const left = hours.flatMap((hour) => ((expires[hour] ?? 0) > 0 ? Number(hour) : []));
  const at = Math.max(oldestAt + retentionMs, hours.length === 0 ? 0 : Math.min(...left) * hourMs);
  return at <= now ? at : undefined;
}

export const toCount = ({ count }: Pick<Certain, "count">): number => count;

/** Of all parts that have any. */
export function toExpired<Of extends Expired>(parts: readonly Of[], toNumber: (part: Of) => number): Expired {
  const times = parts.flatMap((one) => (toNumber(one) > 0 ? (one.expiredSince ?? []) : []));
  return times.length === 0 ? {} : { expiredSince: Math.min(...times) };
}

/** What stands in several drains, each record once. `all`: the parts of all drains. Pure. */
export function toOnce(some: readonly Part[], all: readonly Part[], name: Name): Certain {
  const expired = toExpired(some, (one) => one[name]);
  const sum = sumOf(some, (one) => one[name]);
  const once = sumOf(some, (one) => one[name] - (one.again?.[name] ?? 0));
  // As the total has it, also if a drain that does not count was listed before some were gone.
  if (some.length === all.length) return { count: once, isExact: true, ...expired };
  const count = Math.max(once, ...some.map((one) => one[name]));
  return { count, isExact: sum === count, ...expired };
}

interface Standings {
  readonly drains: readonly {
    readonly mode: "plan" | "live" | null;
    readonly counted?: DrainFacts["counted"];
    readonly outlook: { readonly waiting: number };
    readonly parked?: number;
    readonly destinations: readonly Pick<Destination, "again" | "waiting" | "parked" | "expiredSince">[];
  }[];
  readonly sources: readonly { readonly shared: SharedRecords | null }[];
}

/** Of what a drain has: what another drain counts for the source. */
export function toAgain({ destinations }: Pick<Standings["drains"][number], "destinations">): SharedRecords {
  const of = (name: Name): number => sumOf(destinations, ({ again }) => again?.[name] ?? 0);
  return { waiting: of("waiting"), parked: of("parked") };
}

/** Of a part of a source's drains. Null: each record is in one of them at most. */
export function toSharedInPart(drains: Standings["drains"]): SharedRecords | null {
  const parts = drains.map(({ outlook: { waiting }, parked = 0, ...one }) => ({
    waiting,
    parked,
    again: toAgain(one),
  }));
  const oftenOf = (name: Name): number => sumOf(parts, (one) => one[name]) - toOnce(parts, [], name).count;
  const [waiting, parked] = [oftenOf("waiting"), oftenOf("parked")];
  return waiting + parked === 0 ? null : { waiting, parked, isAtMost: true };
}

/** A total may be more: a drain is still counted, or what is shown is a part of what shares records. */
export function isAtLeast({ drains, sources }: AtLeast): boolean {
  return (
    drains.some(({ stillCounting }) => stillCounting) ||
    sources.some(({ shared }) => shared?.isAtMost === true)
  );
}

interface AtLeast extends Pick<Standings, "sources"> {
  readonly drains: readonly { readonly stillCounting: boolean }[];
}

/** Of a part of what each drain has: several may have the same, as many as their source has too often. Pure. */
export function toAtLeast<Drain extends { readonly source: string } & Expired>(
  {
    drains,
    sources,
  }: {
    readonly drains: readonly Drain[];
    readonly sources: readonly { readonly source: string; readonly shared: SharedRecords | null }[];
  },
  toNumber: (drain: Drain) => number,
): Certain {
  const parts = sources.map(({ source, shared }) => {
    const counts = drains.filter((one) => one.source === source).map(toNumber);
    const sum = sumOf(counts, (count) => count);
    return { sum, count: Math.max(sum - (shared?.waiting ?? 0), ...counts, 0) };
  });
  const count = sumOf(parts, (one) => one.count);
  return { count, isExact: count === sumOf(parts, ({ sum }) => sum), ...toExpired(drains, toNumber) };
}

/** Over all drains, what several of them list once. Pure. */
export function toTotals({ drains, sources }: Standings) {
  const waitingOften = sumOf(sources, ({ shared }) => shared?.waiting ?? 0);
  const parkedOften = sumOf(sources, ({ shared }) => shared?.parked ?? 0);
  const all = drains.flatMap(({ destinations }) => destinations);
  const expiredOf = (name: Name): Expired => toExpired(all, (one) => one[name]);
  // As it was when it was counted.
  const planning = drains.filter(({ counted, mode }) => (counted?.mode ?? mode) === "plan");
  const wouldBeParked = sumOf(planning, ({ parked = 0, ...one }) => parked - toAgain(one).parked);
  return {
    waiting: sumOf(drains, ({ outlook }) => outlook.waiting) - waitingOften,
    /** How many a sum of what waits by drain has too many. */
    waitingOften,
    parked: sumOf(drains, ({ parked = 0 }) => parked) - parkedOften - wouldBeParked,
    /** By drains that only plan, and in no other drain. */
    wouldBeParked,
    expired: { waiting: expiredOf("waiting"), parked: expiredOf("parked") },
  };
}
