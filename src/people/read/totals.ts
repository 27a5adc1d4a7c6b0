import type { SharedRecords } from "../../job/contracts/queue-facts.ts";

export function sumOf<Item>(items: readonly Item[], toNumber: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + toNumber(item), 0);
}

interface Counted {
  readonly drains: readonly {
    readonly mode: "plan" | "live" | null;
    readonly outlook: { readonly waiting: number };
    readonly parked?: number;
  }[];
  readonly sources: readonly { readonly shared: SharedRecords | null }[];
}

/** Over all drains, what several of them list once. Pure. */
export function toTotals({ drains, sources }: Counted): {
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
