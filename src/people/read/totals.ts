import type { DrainFacts } from "../../job/contracts/passes.ts";
import type { QueueFacts, SharedRecords } from "../../job/contracts/queue-facts.ts";

export function sumOf<Item>(items: readonly Item[], toNumber: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + toNumber(item), 0);
}

interface Stand {
  readonly waiting: number;
  readonly parked: number;
}

type Pace = Pick<QueueFacts["drains"][number], "mayShare"> & {
  readonly facts: Pick<DrainFacts, "lastSuccessAt" | "openPass"> | null;
};

/**
 * True if a drain that counts for others is a minute behind another one: it is paused, say, and what it has not listed is
 * in no sum. While all go on, what one of them took may stand in another one until its window ends.
 */
export function isListingLate(drains: readonly Pace[]): boolean {
  const sharing = drains.filter(({ mayShare }) => mayShare);
  const at = ({ facts }: Pace): number => facts?.lastSuccessAt ?? 0;
  const latest = Math.max(...sharing.map(at));
  return sharing.some((one) => !one.facts?.openPass && at(one) + 60_000 < latest);
}

/**
 * Of one kind in several drains: what one of them has, and the drain that counts it for the source has not listed yet. As
 * much of it as is certain.
 */
export function notListedYet(drains: readonly (Stand & { readonly again?: Stand })[]): Stand {
  const missing = (toNumber: (of: Stand) => number): number => {
    const counted = sumOf(drains, ({ again, ...own }) => toNumber(own) - (again ? toNumber(again) : 0));
    return Math.max(0, Math.max(...drains.map(toNumber)) - counted);
  };
  const all = missing(({ waiting, parked }) => waiting + parked);
  const waiting = Math.min(
    all,
    missing((of) => of.waiting),
  );
  const parked = Math.min(
    all - waiting,
    missing((of) => of.parked),
  );
  return { waiting, parked };
}

interface Standings {
  readonly drains: readonly {
    readonly mode: "plan" | "live" | null;
    readonly outlook: { readonly waiting: number };
    readonly parked?: number;
  }[];
  readonly sources: readonly { readonly shared: SharedRecords | null }[];
}

/** Over all drains, what several of them list once. Pure. */
export function toTotals({ drains, sources }: Standings): {
  readonly waiting: number;
  /** How many a sum of what waits by drain has too many. */
  readonly waitingOften: number;
  readonly parked: number;
  /** Of drains that only plan. */
  readonly wouldBeParked: number;
} {
  const parkedOf = (isPlan: boolean): number =>
    sumOf(drains, ({ mode, parked = 0 }) => ((mode === "plan") === isPlan ? parked : 0));
  const waitingOften = sumOf(sources, ({ shared }) => shared?.waiting ?? 0);
  return {
    waiting: sumOf(drains, ({ outlook }) => outlook.waiting) - waitingOften,
    waitingOften,
    parked:
      parkedOf(false) - sumOf(sources, ({ shared }) => (shared?.parked ?? 0) - (shared?.parkedByPlans ?? 0)),
    wouldBeParked: parkedOf(true),
  };
}
