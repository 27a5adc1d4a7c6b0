/** Chooses the destinations and failures that have series of their own: there may be one for every customer. */
import type { RecordedFailure } from "../job/contracts/failures.ts";
import type { Destination, QueueFacts } from "../job/contracts/queue-facts.ts";

type DrainRow = QueueFacts["drains"][number];

const maxDestinationsShown = 20;
const maxFailuresShown = 20;
/** A kind that was met first within this time is shown too, up to `maxFailuresShown` more. */
const newForMs = 86_400_000;

export interface DestinationOfDrain extends Destination {
  readonly drain: string;
}

/** The destinations with most that waits, and what waits for all others. Pure. `drains`: of one source. */
export function chooseDestinations(drains: readonly DrainRow[]) {
  const all = drains
    .flatMap(({ drain, destinations }) => destinations.map((one) => ({ ...one, drain })))
    .toSorted(
      (one, other) => other.waiting - one.waiting || other.parked - one.parked || other.arrived - one.arrived,
    );
  const others = all.slice(maxDestinationsShown);
  return {
    shown: all.slice(0, maxDestinationsShown),
    otherWaiting: others.reduce((sum, { waiting }) => sum + waiting, 0),
  };
}

export interface ShownFailure extends RecordedFailure {
  readonly waiting: number;
  readonly arrived: number;
}

/** The failures with most that waits, and the new ones. Pure. `drains`: of their source. `now`: Unix ms. */
export function chooseFailures(
  kinds: readonly RecordedFailure[],
  drains: readonly DrainRow[],
  now: number,
): readonly ShownFailure[] {
  const counts = new Map<string, { waiting: number; arrived: number; lastArrivedAt: number }>();
  for (const { facts } of drains) {
    for (const { id, waiting, arrived, lastArrivedAt, again } of facts?.failures ?? []) {
      const count = counts.get(id) ?? { waiting: 0, arrived: 0, lastArrivedAt: 0 };
      counts.set(id, count);
      count.waiting += waiting - (again?.waiting ?? 0);
      count.arrived += arrived - (again?.arrived ?? 0);
      count.lastArrivedAt = Math.max(count.lastArrivedAt, lastArrivedAt ?? 0);
    }
  }
  const all = kinds
    .map((kind) => {
      const { waiting = 0, arrived = 0, lastArrivedAt = 0 } = counts.get(kind.id) ?? {};
      return { ...kind, waiting, arrived, lastArrivedAt };
    })
    .toSorted((one, other) => other.waiting - one.waiting || other.lastArrivedAt - one.lastArrivedAt);
  const isNew = all
    .slice(maxFailuresShown)
    .filter(({ firstMetAt }) => now - firstMetAt < newForMs)
    .toSorted((one, other) => other.firstMetAt - one.firstMetAt);
  return [...all.slice(0, maxFailuresShown), ...isNew.slice(0, maxFailuresShown)];
}
