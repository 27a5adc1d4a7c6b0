import type { KindsSample, QueueSample } from "../../job/contracts/queue-series.ts";
import type { QueueFacts } from "../../job/contracts/queue-facts.ts";
import { sumOf } from "./totals.ts";

/** Kinds of failure whose redrives are kept by the hour: those with most that came or waits. */
const maxKinds = 300;

/** Null: a drain has not been counted yet, so a sum would be too small. What two drains list counts once. */
export function toQueueSample(facts: Pick<QueueFacts, "drains" | "sources">): QueueSample | null {
  const { drains, sources } = facts;
  if (drains.length === 0 || drains.some(({ facts, stillCounting }) => facts === null || stillCounting)) {
    return null;
  }
  const all = drains.flatMap(({ destinations }) => destinations);
  const of = (name: "waiting" | "parked" | "published" | "failedAgain") => sumOf(all, (one) => one[name]);
  const once = (name: "waiting" | "parked") =>
    Math.max(0, of(name) - sumOf(sources, ({ shared }) => shared?.[name] ?? 0));
  return {
    waiting: once("waiting"),
    parked: once("parked"),
    arrived: sumOf(drains, ({ facts }) => (facts === null ? 0 : facts.arrivals - facts.arrivedAgain)),
    published: of("published"),
    failedAgain: of("failedAgain"),
  };
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
