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
import { sumOf, toExpired } from "./totals.ts";

/** `open`: nobody works on it. `resolved`: by itself, see `resolvedAfterMs`; an unknown count resolves nothing. */
export const failureStates = ["open", "acknowledged", "resolved"] as const;
export type FailureState = (typeof failureStates)[number];

/** Times are Unix ms. Counts are of the chosen drains. */
export type FailureView = ReturnType<typeof viewsOf>[number];

export interface ToViewFailures {
  readonly facts: Pick<QueueFacts, "drains" | "sources">;
  readonly marksOf: (source: SourceId) => ReadonlyMap<string, FailureMark>;
  readonly drain?: DrainName | undefined;
  readonly now: number;
}

const dayMs = 86_400_000;

/**
 * Those in trouble first: met within a day, then with most that waits, then with most parked; quiet ones last. A
 * note moves nothing: what a person has explained may still be what hurts most.
 */
export function toFailureViews(asked: ToViewFailures): readonly FailureView[] {
  const { facts, drain, now } = asked;
  return facts.sources
    .flatMap((source) => viewsOf(source, asked))
    .filter(({ drains }) => drain === undefined || drains.length > 0)
    .toSorted(
      (one, other) =>
        toRank(one, now) - toRank(other, now) ||
        other.waiting - one.waiting ||
        other.parked - one.parked ||
        other.lastSeenAt - one.lastSeenAt,
    );
}

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

function viewsOf(
  { source, failures, census, soFar }: QueueFacts["sources"][number],
  { facts, marksOf, drain: asked, now }: ToViewFailures,
) {
  const marks = marksOf(source);
  const forgotten = [...marks.values()].flatMap((mark) => mark.forgotten ?? []);
  const drains = facts.drains.filter((one) => one.source === source);
  const byKind = countsByKind({ census, soFar }, drains, now);
  const statusOf = new Map(failures.map(({ id, status }) => [id, status]));
  const countedAt = toCountedAt(drains);
  // A drain that nothing has counted may have any kind: at least so many wait and are parked.
  const stillCounting = drains.some(
    (one) => one.stillCounting && (asked === undefined || one.drain === asked),
  );
  return [...failures, ...forgotten].map((kind) => {
    const { id, origin, status, text, sample, firstMetAt, lastMetAt, drain } = kind;
    const mark = marks.get(id);
    const { note = null, quiet = null } = mark ?? {};
    const own = byKind.get(id) ?? [];
    const chosen = own.filter((one) => asked === undefined || one.drain === asked);
    // Of all drains each record counts once, whichever drains list it.
    const sumOnce = (name: "waiting" | "parked" | "arrived"): number =>
      sumOf(chosen, ({ again, ...one }) => one[name] - (asked === undefined ? (again?.[name] ?? 0) : 0));
    const largestHour = Math.max(0, ...own.map((one) => one.largestHour));
    const ruledNow = sumNamed(own.map(({ ruled }) => ruled));
    const quietEnded = quiet === null ? null : quietEnd(quiet, { largestHour, ruled: ruledNow }, now);
    const arrivedAt = chosen.flatMap(({ lastArrivedAt }) => lastArrivedAt ?? []);
    const owner = ownerOf(mark, own);
    const ofNoDrain = census?.unselectedKinds?.find((one) => one.id === id);
    const taken = owner === null ? "open" : "acknowledged";
    const state: FailureState = isResolved(kind, own, countedAt, ofNoDrain) ? "resolved" : taken;
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
      /** Entry of the first dead letter since the queue had none of the kind; null: nothing waits or is parked. */
      since: chosen.reduce<number | null>((first, one) => earlier(first, one.since), null),
      waiting: sumOnce("waiting"),
      parked: sumOnce("parked"),
      arrived: sumOnce("arrived"),
      published: sumOf(chosen, ({ published }) => published),
      discarded: sumOf(chosen, ({ discarded }) => discarded),
      failedAgain: sumOf(chosen, ({ failedAgain }) => failedAgain),
      /** Of those that failed again, what is of another kind now, the most first. */
      failedAgainAs: Object.entries(sumNamed(chosen.map((one) => one.failedAgainAs)))
        .map(([as, count]) => ({ id: as, status: statusOf.get(as) ?? null, count }))
        .toSorted((one, other) => other.count - one.count),
      ruled: toRuled(chosen, asked === undefined),
      /** First met within a day, and nobody has written anything down about it. */
      isNew: isOfToday(firstMetAt, now) && note === null && quiet === null && owner === null,
      isQuiet: quiet !== null && quietEnded === null,
      /** Of all drains. */
      state,
      /** Who works on it, or did until it was resolved. Null: nobody since it came last. */
      owner,
      note,
      quiet,
      /** Why the quiet is over; null: there is none, or it is not. */
      quietEnded,
      /** Entry of its latest dead letter, or when one was met if none has arrived since it is known. */
      lastSeenAt: arrivedAt.length === 0 ? lastMetAt : Math.max(...arrivedAt),
      /** Of all drains. */
      largestHour,
      drains: chosen,
      ...toExpired(chosen, ({ waiting, parked }) => waiting + parked),
    };
  });
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

/** Why a person's order to be quiet about a kind is over; null: it is not. */
export type QuietEnd = "time" | "arrivals" | "rules" | null;

/** A kind that is quiet until it changes speaks again above this many times its fullest hour. */
const changedAbove = 2;

/** By the arrivals of its fullest hour, and by what its rules do. Pure. `now`: Unix ms. */
export function quietEnd(
  quiet: FailureQuiet,
  { largestHour, ruled }: Pick<StandingFailure, "largestHour" | "ruled">,
  now: number,
): QuietEnd {
  if (quiet.until !== "changed") return now < quiet.until ? null : "time";
  if (largestHour > changedAbove * quiet.largestHour) return "arrivals";
  // None was known if the order came before the first pass had decided any.
  const isRuledAnew =
    quiet.ruled.length > 0 && Object.keys(ruled).some((rule) => !quiet.ruled.includes(rule));
  return isRuledAnew ? "rules" : null;
}
