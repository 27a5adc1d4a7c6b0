import { isAgainId, toAgainId, type RecordedFailure } from "../../job/contracts/failures.ts";
import type { DrainFacts } from "../../job/contracts/passes.ts";
import { earlier } from "../../job/contracts/tally.ts";
import type { Destination } from "../../job/contracts/queue-facts.ts";

const unknownOrigin = "(other)";

/**
 * The destinations of a drain, the most waiting first. `selected`: what the census counted of the drain, by
 * kind of failure. Until a full pass has counted everything, what it has not listed yet is taken from the
 * census. Pure.
 */
export function toDestinations(
  facts: Pick<DrainFacts, "failures" | "gone"> | null,
  kinds: readonly Pick<RecordedFailure, "id" | "origin">[],
  selected: Readonly<Record<string, number>>,
): readonly Destination[] {
  const originOf = new Map(kinds.map(({ id, origin }) => [id, origin]));
  const sums = new Map<string, { -readonly [Name in keyof Destination]: Destination[Name] }>();
  const sumOf = (id: string) => {
    const origin = originOf.get(id) ?? unknownOrigin;
    const none = { waiting: 0, unseen: 0, parked: 0, arrived: 0, published: 0, failedAgain: 0 };
    const sum = sums.get(origin) ?? { origin, ...none, failingSince: null };
    sums.set(origin, sum);
    return sum;
  };
  for (const one of facts?.failures ?? []) {
    const { id, waiting, parked, arrived, published, failedAgain, since } = one;
    const sum = sumOf(id);
    sum.waiting += waiting;
    sum.parked += parked;
    sum.arrived += arrived;
    sum.published += published;
    sum.failedAgain += failedAgain;
    sum.failingSince = earlier(sum.failingSince, since);
  }
  for (const { id, unseen } of unseenOf(facts, selected)) {
    const sum = sumOf(id);
    sum.unseen += unseen;
    sum.waiting += unseen;
  }
  return [...sums.values()].toSorted(
    (one, other) => other.waiting - one.waiting || one.origin.localeCompare(other.origin),
  );
}

/** `selected`: as above; undefined: no census has counted the drain. */
export function isStillCounting(
  facts: Pick<DrainFacts, "gone"> | null,
  selected: Readonly<Record<string, number>> | undefined,
): boolean {
  return selected === undefined && (facts === null || facts.gone !== null);
}

/**
 * By kind of failure: what the census counted, less what has left since, and what the first full pass has not listed yet.
 * `again`: of these, what another drain counts for the source.
 */
export function unseenOf(
  facts: Pick<DrainFacts, "failures" | "gone"> | null,
  selected: Readonly<Record<string, number>>,
): readonly { readonly id: string; readonly unseen: number; readonly again: number }[] {
  const gone = facts?.gone === undefined ? {} : facts.gone;
  if (gone === null) return [];
  const listed = new Map<string, number>();
  for (const { id, waiting, parked, again } of facts?.failures ?? []) {
    listed.set(id, waiting + parked);
    if (again !== undefined) listed.set(toAgainId(id), again.waiting + again.parked);
  }
  const unseenAs = (id: string): number =>
    Math.max(0, (selected[id] ?? 0) - (gone[id] ?? 0) - (listed.get(id) ?? 0));
  return Object.keys(selected)
    .filter((id) => !isAgainId(id) && unseenAs(id) > 0)
    .map((id) => ({ id, unseen: unseenAs(id), again: Math.min(unseenAs(id), unseenAs(toAgainId(id))) }));
}
