import { groupBy } from "../../group-items-by-key.ts";
import { countedOnce, type SharedRecords } from "../../job/contracts/queue-facts.ts";

export function sumOf<Item>(items: readonly Item[], toNumber: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + toNumber(item), 0);
}

/** What arrived in all drains. If one of a source selects everything, it has counted what the others have. */
export function sumOnce<Drain extends { readonly source: string; readonly selectsEverything: boolean }>(
  drains: readonly Drain[],
  toNumber: (drain: Drain) => number,
): number {
  return sumOf([...groupBy(drains, ({ source }) => source).values()], (own) =>
    countedOnce(own.map(toNumber), own.some((one) => one.selectsEverything) ? Infinity : 0),
  );
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
    parked: Math.max(0, parkedOf(false) - sumOf(sources, ({ shared }) => shared?.parked ?? 0)),
    wouldBeParked: parkedOf(true),
  };
}
