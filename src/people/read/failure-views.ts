/** Kinds of failure with their counts over drains, and what persons wrote down about them. Pure. */
import {
  resolvedAfterMs,
  type FailureMark,
  type FailureOwner,
  type RecordedFailure,
  type StandingFailure,
  type FailureQuiet,
} from "../../job/contracts/failures.ts";
import type { DrainName, SourceId } from "../../job/contracts/ids.ts";
import type { QueueFacts } from "../../job/contracts/queue-facts.ts";
import type { UnselectedKind } from "../../job/contracts/source-book.ts";
import { earlier } from "../../job/contracts/tally.ts";
import { countsByKind, type FailureOfDrain } from "./counts-by-kind.ts";
import { sumOf, toExpired, type Expired } from "./totals.ts";

/** `open`: nobody works on it. `resolved`: by itself, see `resolvedAfterMs`; an unknown count resolves nothing. */
export const failureStates = ["open", "acknowledged", "resolved"] as const;
export type FailureState = (typeof failureStates)[number];

/** Times are Unix ms. Counts are of the chosen drains. */
export interface FailureView
  extends
    RecordedFailure,
    Expired,
    Pick<
      StandingFailure,
      "waiting" | "parked" | "arrived" | "published" | "discarded" | "failedAgain" | "ruled"
    > {
  readonly source: SourceId;
  /** Of one of the chosen drains, which may have any kind: at least so many wait and are parked. */
  readonly stillCounting: boolean;
  /** Entry of the first dead letter since the queue had none of the kind; null: nothing waits or is parked. */
  readonly since: number | null;
  /** First met within a day, and nobody has written anything down about it. */
  readonly isNew: boolean;
  readonly isQuiet: boolean;
  /** Of all drains. */
  readonly state: FailureState;
  /** Who works on it, or did until it was resolved. Null: nobody since it came last. */
  readonly owner: FailureOwner | null;
  readonly note: FailureMark["note"];
  readonly quiet: FailureMark["quiet"];
  /** Why the quiet is over; null: there is none, or it is not. */
  readonly quietEnded: QuietEnd;
  /** Of those that failed again, what is of another kind now, the most first. */
  readonly failedAgainAs: readonly Pick<RecordedFailure & { count: number }, "id" | "status" | "count">[];
  /** Entry of its latest dead letter, or when one was met if none has arrived since it is known. */
  readonly lastSeenAt: number;
  /** Of all drains. */
  readonly largestHour: number;
  readonly drains: readonly FailureOfDrain[];
}

export interface ToViewFailures {
  readonly facts: Pick<QueueFacts, "drains" | "sources">;
  readonly marksOf: (source: SourceId) => ReadonlyMap<string, FailureMark>;
  /** Count only this drain; absent: all. */
  readonly drain?: DrainName;
  readonly now: number;
}

const dayMs = 86_400_000;

/**
 * Those in trouble first: met within a day, then with most that waits, then with most parked; quiet ones last. A
 * note moves nothing: what a person has explained may still be what hurts most.
 */
export function toFailureViews({ facts, marksOf, drain, now }: ToViewFailures): readonly FailureView[] {
  const views = facts.sources.flatMap((source) => {
    const marks = marksOf(source.source);
    const forgotten = [...marks.values()].flatMap((mark) => mark.forgotten ?? []);
    const drains = facts.drains.filter((one) => one.source === source.source);
    const byKind = countsByKind(source, drains, now);
    const statusOf = new Map(source.failures.map(({ id, status }) => [id, status]));
    const countedAt = toCountedAt(drains);
    const stillCounting = drains.some(
      (one) => one.stillCounting && (drain === undefined || one.drain === drain),
    );
    return [...source.failures, ...forgotten].map((kind): FailureView => {
      const own = byKind.get(kind.id) ?? [];
      const chosen = own.filter((one) => drain === undefined || one.drain === drain);
      return toView(kind, marks.get(kind.id), {
        source: source.source,
        own,
        chosen,
        isOfAll: drain === undefined,
        stillCounting,
        countedAt,
        ofNoDrain: source.census?.unselectedKinds?.find(({ id }) => id === kind.id),
        statusOf,
        now,
      });
    });
  });
  return views
    .filter(({ drains }) => drain === undefined || drains.length > 0)
    .toSorted(
      (one, other) =>
        toRank(one, now) - toRank(other, now) ||
        other.waiting - one.waiting ||
        other.parked - one.parked ||
        other.lastSeenAt - one.lastSeenAt,
    );
}

/** Whether it matters now: something waits or is parked, or it was seen within a day. */
export function isCurrent({ waiting, parked, lastSeenAt }: FailureView, now: number): boolean {
  return waiting > 0 || parked > 0 || lastSeenAt > now - dayMs;
}

function toRank({ firstMetAt, quiet, isQuiet }: FailureView, now: number): number {
  if (isQuiet) return 2;
  return isOfToday(firstMetAt, now) && quiet === null ? 0 : 1;
}

function isOfToday(firstMetAt: number, now: number): boolean {
  return firstMetAt > now - dayMs;
}

/** When a pass last counted each drain. Empty if nothing has counted one of them yet: it may have any kind. */
function toCountedAt(drains: QueueFacts["drains"]): ReadonlyMap<DrainName, number> {
  if (drains.some(({ stillCounting }) => stillCounting)) return new Map();
  return new Map(
    drains.map(({ drain, facts }) => [
      drain,
      facts?.mayHaveSkipped === true ? 0 : (facts?.lastSuccessAt ?? 0),
    ]),
  );
}

/** Passes of all drains that have met it found nothing of it for so long. */
function isResolved(
  { drain: metBy, lastMetAt }: RecordedFailure,
  own: readonly FailureOfDrain[],
  countedAt: ReadonlyMap<DrainName, number>,
  ofNoDrain: UnselectedKind | undefined,
): boolean {
  if (ofNoDrain !== undefined || own.some(({ waiting, parked }) => waiting + parked > 0)) return false;
  const movedAt = own.length === 0 ? lastMetAt : Math.max(...own.map((one) => one.lastMovedAt));
  const drains = own.length === 0 ? [metBy] : own.map(({ drain }) => drain);
  return drains.every((drain) => (countedAt.get(drain) ?? 0) >= movedAt + resolvedAfterMs);
}

/** Who works on a kind. Null also if it was resolved since and has come again. */
export function ownerOf(
  mark: Pick<FailureMark, "owner"> | undefined,
  own: readonly StandingFailure[],
): FailureOwner | null {
  const owner = mark?.owner ?? null;
  return owner === null || owner.at < toReopenedAt(own) ? null : owner;
}

/** When it came again after it was resolved in all of these drains; 0: none is known. */
function toReopenedAt(own: readonly StandingFailure[]): number {
  const at = Math.max(0, ...own.map((one) => one.reopenedAt));
  const others = own.filter((one) => one.reopenedAt < at - resolvedAfterMs);
  const hasGoneOn = others.some(
    ({ waiting, parked, lastMovedAt }) => waiting + parked > 0 || lastMovedAt >= at - resolvedAfterMs,
  );
  return hasGoneOn ? toReopenedAt(others) : at;
}

function toView(
  kind: RecordedFailure,
  mark: FailureMark | undefined,
  {
    source,
    own,
    chosen,
    isOfAll,
    stillCounting,
    countedAt,
    ofNoDrain,
    statusOf,
    now,
  }: {
    readonly source: SourceId;
    readonly ofNoDrain: UnselectedKind | undefined;
    readonly own: readonly FailureOfDrain[];
    readonly chosen: readonly FailureOfDrain[];
    /** Each record counts once then, whichever drains list it. */
    readonly isOfAll: boolean;
    readonly stillCounting: boolean;
    readonly countedAt: ReadonlyMap<DrainName, number>;
    readonly statusOf: ReadonlyMap<string, number | null>;
    readonly now: number;
  },
): FailureView {
  const { note = null, quiet = null } = mark ?? {};
  const nowIs = {
    largestHour: Math.max(0, ...own.map((one) => one.largestHour)),
    ruled: sumNamed(own.map(({ ruled }) => ruled)),
  };
  const ended = quiet === null ? null : quietEnd(quiet, nowIs, now);
  const arrivedAt = chosen.flatMap(({ lastArrivedAt }) => lastArrivedAt ?? []);
  const sumOnce = (name: "waiting" | "parked" | "arrived"): number =>
    sumOf(chosen, ({ again, ...one }) => one[name] - (isOfAll ? (again?.[name] ?? 0) : 0));
  const owner = ownerOf(mark, own);
  const taken = owner === null ? "open" : "acknowledged";
  const { id, origin, status, text, sample, firstMetAt, lastMetAt, drain } = kind;
  // One by one: an object that gets so many fields after a spread takes V8 30 µs, a hundred times as long.
  return {
    id,
    origin,
    status,
    text,
    sample,
    firstMetAt,
    lastMetAt,
    drain,
    source,
    stillCounting,
    since: chosen.reduce<number | null>((first, one) => earlier(first, one.since), null),
    waiting: sumOnce("waiting"),
    parked: sumOnce("parked"),
    arrived: sumOnce("arrived"),
    published: sumOf(chosen, ({ published }) => published),
    discarded: sumOf(chosen, ({ discarded }) => discarded),
    failedAgain: sumOf(chosen, ({ failedAgain }) => failedAgain),
    failedAgainAs: Object.entries(sumNamed(chosen.map((one) => one.failedAgainAs)))
      .map(([as, count]) => ({ id: as, status: statusOf.get(as) ?? null, count }))
      .toSorted((one, other) => other.count - one.count),
    ruled: toRuled(chosen, isOfAll),
    isNew: isOfToday(kind.firstMetAt, now) && note === null && quiet === null && owner === null,
    isQuiet: quiet !== null && ended === null,
    state: isResolved(kind, own, countedAt, ofNoDrain) ? "resolved" : taken,
    owner,
    note,
    quiet,
    quietEnded: ended,
    lastSeenAt: arrivedAt.length === 0 ? kind.lastMetAt : Math.max(...arrivedAt),
    largestHour: nowIs.largestHour,
    drains: chosen,
    ...toExpired(chosen, ({ waiting, parked }) => waiting + parked),
  };
}

function sumNamed(all: readonly Readonly<Record<string, number>>[]): Readonly<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (const one of all) {
    for (const [part, count] of Object.entries(one)) sums[part] = (sums[part] ?? 0) + count;
  }
  return sums;
}

/** `isOnce`: of each record, as the drain decides it that counts it for the source. */
function toRuled(all: readonly FailureOfDrain[], isOnce: boolean): Readonly<Record<string, number>> {
  const sums = sumNamed(all.map(({ ruled }) => ruled));
  const again = sumNamed(isOnce ? all.map((one) => one.again?.ruled ?? {}) : []);
  const once = Object.entries(sums).map(([part, count]) => [part, count - (again[part] ?? 0)] as const);
  return Object.fromEntries(once.filter(([, count]) => count > 0));
}

/** What a quiet depends on, as it is now. */
export interface FailureNow {
  /** Arrivals in the hour with most of them. */
  readonly largestHour: number;
  /** What its rules do, by counts. */
  readonly ruled: Readonly<Record<string, number>>;
}

/** Why a person's order to be quiet about a kind is over; null: it is not. */
export type QuietEnd = "time" | "arrivals" | "rules" | null;

/** A kind that is quiet until it changes speaks again above this many times its fullest hour. */
const changedAbove = 2;

/** Pure. `now`: Unix ms. */
export function quietEnd(quiet: FailureQuiet, { largestHour, ruled }: FailureNow, now: number): QuietEnd {
  if (quiet.until !== "changed") return now < quiet.until ? null : "time";
  if (largestHour > changedAbove * quiet.largestHour) return "arrivals";
  // None was known if the order came before the first pass had decided any.
  const isRuledAnew =
    quiet.ruled.length > 0 && Object.keys(ruled).some((rule) => !quiet.ruled.includes(rule));
  return isRuledAnew ? "rules" : null;
}
