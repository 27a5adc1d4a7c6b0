import type { DrainFacts } from "../../job/contracts/passes.ts";
import type { Destination, SharedRecords } from "../../job/contracts/queue-facts.ts";

export function sumOf<Item>(items: readonly Item[], toNumber: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + toNumber(item), 0);
}

type Counted = "waiting" | "parked";

interface Part extends Readonly<Record<Counted, number>> {
  readonly again?: SharedRecords | undefined;
}

/** A count, or at least so many. */
export interface Certain {
  readonly count: number;
  readonly isExact: boolean;
}

/** What stands in several drains, each record once. `all`: the parts of all drains. Pure. */
export function toOnce(some: readonly Part[], all: readonly Part[], name: Counted): Certain {
  const sum = sumOf(some, (one) => one[name]);
  const once = sumOf(some, (one) => one[name] - (one.again?.[name] ?? 0));
  const count = Math.max(once, ...some.map((one) => one[name]));
  return { count, isExact: sum === count || (some.length === all.length && count === once) };
}

interface Standings {
  readonly drains: readonly {
    readonly mode: "plan" | "live" | null;
    readonly counted?: DrainFacts["counted"];
    readonly outlook: { readonly waiting: number };
    readonly parked?: number;
    readonly destinations: readonly Pick<Destination, "again">[];
  }[];
  readonly sources: readonly { readonly shared: SharedRecords | null }[];
}

/** Of what a drain has: what another drain counts for the source. */
export function toAgain({ destinations }: Pick<Standings["drains"][number], "destinations">): SharedRecords {
  const of = (name: Counted): number => sumOf(destinations, ({ again }) => again?.[name] ?? 0);
  return { waiting: of("waiting"), parked: of("parked") };
}

/** Of a part of a source's drains. Null: each record is in one of them at most. */
export function toSharedInPart(drains: Standings["drains"]): SharedRecords | null {
  const parts = drains.map(({ outlook: { waiting }, parked = 0, ...one }) => ({
    waiting,
    parked,
    again: toAgain(one),
  }));
  const oftenOf = (name: Counted): number => sumOf(parts, (one) => one[name]) - toOnce(parts, [], name).count;
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
export function toAtLeast<Drain extends { readonly source: string }>(
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
  return { count, isExact: count === sumOf(parts, ({ sum }) => sum) };
}

/** Over all drains, what several of them list once. Pure. */
export function toTotals({ drains, sources }: Standings): {
  readonly waiting: number;
  /** How many a sum of what waits by drain has too many. */
  readonly waitingOften: number;
  readonly parked: number;
  /** By drains that only plan, and in no other drain. */
  readonly wouldBeParked: number;
} {
  const waitingOften = sumOf(sources, ({ shared }) => shared?.waiting ?? 0);
  const parkedOften = sumOf(sources, ({ shared }) => shared?.parked ?? 0);
  // As it was when it was counted.
  const planning = drains.filter(({ counted, mode }) => (counted?.mode ?? mode) === "plan");
  const wouldBeParked = sumOf(planning, ({ parked = 0, ...one }) => parked - toAgain(one).parked);
  return {
    waiting: sumOf(drains, ({ outlook }) => outlook.waiting) - waitingOften,
    waitingOften,
    parked: sumOf(drains, ({ parked = 0 }) => parked) - parkedOften - wouldBeParked,
    wouldBeParked,
  };
}
