/** When records become due: a bounded number of moments for any number of records. */

export interface Arrival {
  /** Ms from the plan's moment; 0: due now. */
  readonly inMs: number;
  readonly count: number;
}

const firstMs = 1_000;
/** Records that become due within a quarter of their wait of each other share a moment, the latest. */
const ratio = 1.25;

export function createDueTimes() {
  /** At most 70 for a week. */
  const slots = new Map<number, { latestMs: number; count: number }>();
  let earliestMs = Infinity;
  return {
    /** `inMs` below 0 is now. */
    add(inMs: number): void {
      const slot = inMs <= 0 ? -1 : Math.floor(Math.log(Math.max(inMs, firstMs) / firstMs) / Math.log(ratio));
      const known = slots.get(slot) ?? { latestMs: 0, count: 0 };
      known.latestMs = Math.max(known.latestMs, inMs);
      known.count += 1;
      slots.set(slot, known);
      if (inMs > 0) earliestMs = Math.min(earliestMs, inMs);
    },
    /** Ascending. */
    arrivals: (): readonly Arrival[] =>
      [...slots.values()]
        .map(({ latestMs, count }) => ({ inMs: latestMs, count }))
        .toSorted((one, other) => one.inMs - other.inMs),
    /** Of those that are not due now; null without any. */
    earliestMs: (): number | null => (earliestMs === Infinity ? null : earliestMs),
  };
}

export function countOf(arrivals: readonly Arrival[]): number {
  return arrivals.reduce((sum, { count }) => sum + count, 0);
}

export function inOrder(arrivals: readonly Arrival[]): readonly Arrival[] {
  return arrivals.toSorted((one, other) => one.inMs - other.inMs);
}
