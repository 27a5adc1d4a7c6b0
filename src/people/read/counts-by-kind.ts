/** What each drain of a source has of a kind of failure, and which of them counts it for the source. Pure. */
import {
  isAgainId,
  type RecordedFailure,
  type StandingFailure,
  toAgainId,
} from "../../job/contracts/failures.ts";
import type { DrainName } from "../../job/contracts/ids.ts";
import type { DrainFacts } from "../../job/contracts/passes.ts";
import type { Destination, QueueFacts } from "../../job/contracts/queue-facts.ts";
import { type Expired, sumOf, toExpiredSince } from "./totals.ts";
import { earlier } from "../../job/contracts/tally.ts";

export interface FailureOfDrain extends StandingFailure, Expired {
  readonly drain: DrainName;
  /** Of those that wait: counted by the census, and not listed by the first full pass yet. */
  readonly unseen: number;
  /** Nothing has counted the drain as the document has it: at least so many wait and are parked. */
  readonly stillCounting: boolean;
}

type Drain = Omit<QueueFacts["drains"][number], "destinations">;

/** By kind. What a first full pass has not listed yet is from the census, or of what the first one has listed so far. */
export function countsByKind(
  { census, soFar }: Pick<QueueFacts["sources"][number], "census" | "soFar">,
  drains: readonly Drain[],
  now: number,
): ReadonlyMap<string, readonly FailureOfDrain[]> {
  const byKind = new Map<string, Map<DrainName, FailureOfDrain>>();
  const put = (one: FailureOfDrain): void => {
    byKind.set(one.id, (byKind.get(one.id) ?? new Map<DrainName, FailureOfDrain>()).set(one.drain, one));
  };
  const selected = census?.isOutdated === true ? {} : (census?.selected ?? soFar);
  const firstExpiry = census?.earliestExpiryAt ?? Infinity;
  const ofCensus = firstExpiry <= now && { expiredSince: firstExpiry };
  for (const { drain, facts, stillCounting, retentionMs } of drains) {
    for (const one of facts?.failures ?? []) {
      put({ drain, unseen: 0, stillCounting, ...one, expiredSince: toExpiredSince(one, retentionMs, now) });
    }
    for (const { id, unseen, again } of unseenOf(facts, selected?.[drain] ?? {})) {
      const known = byKind.get(id)?.get(drain) ?? { id, drain, stillCounting, ...nothing };
      const counted = known.again ?? { waiting: 0, parked: 0, arrived: 0, expires: {}, ruled: {} };
      const ofOthers = { ...counted, waiting: counted.waiting + again };
      const waiting = known.waiting + unseen;
      put({ ...known, ...ofCensus, unseen, waiting, ...(again > 0 && { again: ofOthers }) });
    }
  }
  const isOutdated = drains.some((one) => one.isOutdated === true);
  const isLate = isListingLate(drains);
  const toSure = (own: readonly FailureOfDrain[]): readonly FailureOfDrain[] =>
    isOutdated || isLate ? leaveToOne(own, isOutdated) : own;
  return new Map([...byKind].map(([id, own]) => [id, toSure([...own.values()])]));
}

/**
 * Who counts a letter is not known of drains that counted under different documents, and who counts may not have
 * listed it yet. The drain with most has at least so many: it counts for all, unless more are known.
 */
function leaveToOne(own: readonly FailureOfDrain[], isOutdated: boolean): readonly FailureOfDrain[] {
  type Name = "waiting" | "parked" | "arrived";
  const toOnce = (...names: readonly Name[]): number =>
    sumOf(own, ({ again, ...one }) => sumOf(names, (name) => one[name] - (again?.[name] ?? 0)));
  const [most] = own.toSorted((one, other) => there(other) - there(one));
  if (most === undefined || (!isOutdated && toOnce("waiting", "parked") >= there(most))) return own;
  const isArrivedKnown = toOnce("arrived") >= most.arrived;
  return own.map((one) => {
    const { waiting, parked, expires, ruled, arrived } =
      one === most ? { waiting: 0, parked: 0, expires: {}, ruled: {}, arrived: 0 } : one;
    const again = {
      waiting,
      parked,
      expires,
      ruled,
      arrived: isArrivedKnown ? (one.again?.arrived ?? 0) : arrived,
    };
    return { ...one, again };
  });
}

function there({ waiting, parked }: FailureOfDrain): number {
  return waiting + parked;
}

/**
 * True if a drain that counts for others is a minute behind another one, or counts for the first time: it is paused, say,
 * and what it has not listed is in no sum. While all go on, what one took may stand in another one until its window ends.
 */
function isListingLate(drains: readonly Drain[]): boolean {
  const sharing = drains.filter(({ mayShare }) => mayShare);
  const at = ({ facts }: Drain): number => facts?.lastSuccessAt ?? 0;
  const latest = Math.max(...sharing.map(at));
  return sharing.some((one) => one.stillCounting || (!one.facts?.openPass && at(one) + 60_000 < latest));
}

const nothing: Omit<FailureOfDrain, "id" | "drain" | "stillCounting"> = {
  waiting: 0,
  unseen: 0,
  parked: 0,
  arrived: 0,
  published: 0,
  discarded: 0,
  failedAgain: 0,
  failedAgainAs: {},
  lastArrivedAt: null,
  largestHour: 0,
  ruled: {},
  expires: {},
  oldestAt: null,
  since: null,
  lastMovedAt: 0,
  reopenedAt: 0,
};

/**
 * What the census counted, less what has left since, and what the first full pass has not listed yet. `again`: of these,
 * what another drain counts for the source.
 */
function unseenOf(
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
