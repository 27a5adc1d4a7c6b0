import type { RecordedFailure } from "../../job/contracts/failures.ts";
import type { DrainFacts } from "../../job/contracts/passes.ts";
import { earlier } from "../../job/contracts/tally.ts";
import type { Destination } from "../../job/contracts/queue-facts.ts";
import type { FailureOfDrain } from "./counts-by-kind.ts";

const unknownOrigin = "(other)";

/** The destinations of a drain, the most waiting first. Pure. */
export function toDestinations(
  own: readonly FailureOfDrain[],
  kinds: readonly Pick<RecordedFailure, "id" | "origin">[],
): readonly Destination[] {
  const originOf = new Map(kinds.map(({ id, origin }) => [id, origin]));
  const sums = new Map<string, { -readonly [Name in keyof Destination]: Destination[Name] }>();
  for (const { id, since, again, expiredSince, ...one } of own) {
    const origin = originOf.get(id) ?? unknownOrigin;
    const none = { waiting: 0, unseen: 0, parked: 0, arrived: 0, published: 0, failedAgain: 0 };
    const sum = sums.get(origin) ?? { origin, ...none, failingSince: null };
    sums.set(origin, sum);
    sum.waiting += one.waiting;
    sum.unseen += one.unseen;
    sum.parked += one.parked;
    sum.arrived += one.arrived;
    sum.published += one.published;
    sum.failedAgain += one.failedAgain;
    sum.failingSince = earlier(sum.failingSince, since);
    if (expiredSince !== undefined) sum.expiredSince = Math.min(sum.expiredSince ?? Infinity, expiredSince);
    if (again === undefined) continue;
    const { waiting = 0, parked = 0 } = sum.again ?? {};
    sum.again = { waiting: waiting + again.waiting, parked: parked + again.parked };
  }
  return [...sums.values()].toSorted(
    (one, other) => other.waiting - one.waiting || one.origin.localeCompare(other.origin),
  );
}

/** `selected`: what the census counted of the drain; undefined: none has. */
export function isStillCounting(
  facts: Pick<DrainFacts, "gone"> | null,
  selected: Readonly<Record<string, number>> | undefined,
): boolean {
  return selected === undefined && (facts === null || facts.gone !== null);
}
