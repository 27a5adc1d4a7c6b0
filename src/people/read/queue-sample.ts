import type { KindsSample, QueueSample } from "../../job/contracts/queue-series.ts";
import type { QueueFacts } from "../../job/contracts/queue-facts.ts";

/** Kinds of failure whose redrives are kept by the hour: those with most that came or waits. */
const maxKinds = 300;

/** Null: a drain has not been counted yet, so a sum would be too small. What two drains list counts once. */
export function toQueueSample(facts: Pick<QueueFacts, "drains" | "sources">): QueueSample | null {
  const { drains, sources } = facts;
  if (drains.length === 0 || drains.some(({ facts, stillCounting }) => facts === null || stillCounting)) {
    return null;
  }
  const sample = { waiting: 0, parked: 0, arrived: 0, published: 0, failedAgain: 0 };
  for (const { shared } of sources) {
    sample.waiting -= shared?.waiting ?? 0;
    sample.parked -= shared?.parked ?? 0;
  }
  for (const { facts, destinations } of drains) {
    sample.arrived += facts === null ? 0 : facts.arrivals - facts.arrivedAgain;
    for (const one of destinations) {
      sample.waiting += one.waiting;
      sample.parked += one.parked;
      sample.published += one.published;
      sample.failedAgain += one.failedAgain;
    }
  }
  return { ...sample, waiting: Math.max(0, sample.waiting), parked: Math.max(0, sample.parked) };
}

export function toKindsSample({ drains }: Pick<QueueFacts, "drains">): KindsSample {
  const sums = new Map<string, { published: number; failedAgain: number; all: number }>();
  for (const { source, facts } of drains) {
    for (const { id, published, failedAgain, waiting, parked } of facts?.failures ?? []) {
      if (published + failedAgain === 0) continue;
      const sum = sums.get(toKindKey(source, id)) ?? { published: 0, failedAgain: 0, all: 0 };
      sum.published += published;
      sum.failedAgain += failedAgain;
      sum.all += published + waiting + parked;
      sums.set(toKindKey(source, id), sum);
    }
  }
  const most = [...sums].toSorted(([, one], [, other]) => other.all - one.all).slice(0, maxKinds);
  return Object.fromEntries(most.map(([key, { published, failedAgain }]) => [key, [published, failedAgain]]));
}

export function toKindKey(source: string, id: string): string {
  return `${source} ${id}`;
}
