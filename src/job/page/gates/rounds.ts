/**
 * The due letters of a page, in rounds through the gates:
 *
 *   ask ─┬─ free ───► published now; a grant that led to no POST is given back, and what waited too long for its
 *        │            batch takes again
 *        ├─ wait ───► waits in place if its turn comes soon, and asks again; otherwise held: rate-limit
 *        └─ held ───► has its fate
 *
 * A slow host or rule delays nobody else: in every round all remaining letters ask again.
 */
import type { ParkReason } from "../../message/park-reasons.ts";
import { sleptFully } from "../../contracts/clock.ts";
import { unlessRedisAway } from "../../contracts/errors.ts";
import { isAutoRate, type AutoRate } from "../../contracts/auto-rate.ts";
import type { Rate } from "../../contracts/capacity.ts";
import type { HoldReason } from "../../rules/decision.ts";
import { groupBy } from "../../../group-items-by-key.ts";
import type { DrainRuntime } from "../../runtime.ts";
import { apart } from "../apart.ts";
import { hold } from "../fate.ts";
import { askGates } from "../gates.ts";
import { isReconciling, type CapacityWait, type Letter } from "../letter.ts";
import { holdForCapacity, toQuery } from "./capacity.ts";
import { closedGuardOf } from "./guard.ts";

/** A page waits this long in place for the drain's own rate. Nothing else of the drain could go meanwhile. */
const maxWaitForDrainMs = 60_000;
/** The same for a host's or rule's rate. Other records wait behind it. At 10/s a page of 100 takes 9 s. */
const maxWaitForOthersMs = 15_000;
/** A page waits for no turn further off than this. The next pass comes sooner than many such turns. */
const maxTurnMs = 5_000;
/** Turns within this of the first are taken together, so that batches are full. It costs one short delay. */
const gatherMs = 250;
const minWaitMs = 10;
const maxLetters = 100;

export interface RoundSignals {
  readonly signal: AbortSignal;
  /** Ends a wait. The remaining letters are held as `stopping`. */
  readonly stop: AbortSignal;
}

/**
 * Answers what may be published now, in the order of `inPublishOrder`, before the next round is asked for. At the
 * end every letter has a fate. `pageReadAt`: Redis time. Throws `redis-unavailable`; what was not published by then
 * was not begun.
 */
export async function* roundsOf(
  drain: DrainRuntime,
  letters: readonly Letter[],
  pageReadAt: number,
  signals: RoundSignals,
): AsyncGenerator<readonly Letter[], void, undefined> {
  if (letters.length === 0) {
    await closedGuardOf(drain);
    return;
  }
  const ordered = inPublishOrder(letters);
  for (let start = 0; start < ordered.length; start += maxLetters) {
    yield* inRounds(drain, ordered.slice(start, start + maxLetters), pageReadAt, signals);
  }
}

async function* inRounds(
  drain: DrainRuntime,
  letters: readonly Letter[],
  pageReadAt: number,
  { signal, stop }: RoundSignals,
): AsyncGenerator<readonly Letter[], void, undefined> {
  const { clock } = drain.source;
  let startedAt: number | null = null;
  for (let remaining = letters; remaining.length > 0;) {
    await apart(drain, pageReadAt, remaining, (some) => askGates(drain, some, signal));
    const free: Letter[] = [];
    const waiting: Letter[] = [];
    for (const one of remaining) if (one.fate === null) (one.wait === null ? free : waiting).push(one);
    if (free.length > 0) yield free;
    await apart(drain, pageReadAt, free, (some) => giveBackUnused(drain, some));

    const again: Letter[] = [];
    for (const one of free) if (one.fate === null) again.push(one);
    startedAt ??= waiting[0]?.wait?.at ?? free[0]?.grant?.at ?? null;
    const wakeInMs = holdWhatIsFar(drain, waiting, startedAt ?? 0, pageReadAt);
    remaining = [...again, ...waiting.filter(({ fate }) => fate === null)];
    for (const one of remaining) one.wait = null;
    if (remaining.length === 0) return;
    const waitMs = Math.max(minWaitMs, again.length > 0 ? 0 : wakeInMs);
    if (await sleptFully(clock, waitMs, stop)) continue;
    for (const one of remaining) hold(one, "stopping");
    return;
  }
}

/** Gives back grants that led to no POST. Without Redis only unused capacity is lost. */
async function giveBackUnused(drain: DrainRuntime, published: readonly Letter[]): Promise<void> {
  const unused: Letter[] = [];
  for (const one of published) if (one.grant !== null && leavesCapacityUnused(one)) unused.push(one);
  // A grant may have moved since.
  for (const [at, some] of groupBy(unused, ({ grant }) => grant?.at)) {
    if (at === undefined) continue;
    await unlessRedisAway(() => drain.source.capacity.giveBack(toQuery(drain, some), at), undefined);
    for (const one of some) one.grant = null;
  }
}

function holdWhatIsFar(
  drain: DrainRuntime,
  letters: readonly Letter[],
  startedAt: number,
  pageReadAt: number,
): number {
  const { clock, ledger } = drain.source;
  // A page must be young enough to begin when its turn comes.
  const oldestAt = pageReadAt + ledger.limits.maxPageAgeMs / 2;
  const forDrain = Math.min(startedAt + maxWaitForDrainMs, oldestAt);
  const forOthers = Math.min(startedAt + maxWaitForOthersMs, oldestAt);
  const deadlineOf = ({ verdict }: CapacityWait): number => {
    if (verdict.by === "publish" || verdict.by === "service") return forDrain;
    if (verdict.by === "rule" || verdict.kind === "ceiling") return forOthers;
    return Math.min(forOthers, startedAt + waitForHostMs(drain.config.limits.perHost, verdict.perSecond));
  };
  const waits = letters.flatMap(({ wait }) => (wait === null ? [] : [wait]));
  const firstTurn = Math.min(...waits.map(turnAt));
  let wakeAt = firstTurn;
  let now = 0;
  for (const letter of letters) {
    const { wait } = letter;
    if (wait === null) continue;
    now = wait.at + clock.monotonic() - wait.answeredAt;
    const turn = turnAt(wait);
    if (firstTurn > now + maxTurnMs || turn > deadlineOf(wait)) holdForCapacity(drain, letter, wait);
    else if (turn <= firstTurn + gatherMs) wakeAt = Math.max(wakeAt, turn);
  }
  return waits.some(({ isOutdated }) => isOutdated) ? 0 : wakeAt - now;
}

function turnAt({ verdict }: CapacityWait): number {
  return verdict.kind === "wait" ? verdict.until : Infinity;
}

/** One that is slower than at its beginning has as much less time: it would delay the page's other hosts. */
function waitForHostMs(perHost: Rate | AutoRate | undefined, perSecond: number | undefined): number {
  if (perHost === undefined || perSecond === undefined || !isAutoRate(perHost)) return maxWaitForOthersMs;
  return maxWaitForOthersMs * Math.min(1, perSecond / perHost.fromPerSecond);
}

/** True if no POST was made for this letter, or its only answer was "not now". */
export function leavesCapacityUnused({ fate }: Letter): boolean {
  if (fate?.kind === "parked") return !parksAfterPost.has(fate.decision.reason);
  if (fate?.kind === "held") return !countedHolds.has(fate.decision.reason);
  return fate?.kind !== "published" && fate?.kind !== "in-doubt";
}

/** Holds after a POST that the service answered, or has not answered yet. */
const countedHolds: ReadonlySet<HoldReason> = new Set([
  "refused-alone",
  "source-halted",
  "outcome-unknown",
  "unworkable",
]);
const parksAfterPost: ReadonlySet<ParkReason> = new Set(["refused", "too-large", "unworkable"]);

/** All records of a source have the same retention, so the first that entered is the first that expires. */
function byEntry(one: Letter, other: Letter): number {
  return one.enteredAt - other.enteredAt;
}

/** First what reconciles, then hosts in turn, earliest expiry first: no host waits behind another's backlog. Pure. */
export function inPublishOrder(letters: readonly Letter[]): readonly Letter[] {
  const fresh: Letter[] = [];
  const again: Letter[] = [];
  for (const one of letters) (isReconciling(one) ? again : fresh).push(one);
  const hosts = groupBy(fresh, ({ due }) => due.rateHost);
  const queues = [...hosts.values()].map((queue) => queue.toSorted(byEntry));
  const inTurn: Letter[] = [];
  const longest = Math.max(0, ...queues.map(({ length }) => length));
  for (let turn = 0; turn < longest; turn += 1) {
    for (const queue of queues) {
      if (turn < queue.length) inTurn.push(queue[turn]!);
    }
  }
  return [...again, ...inTurn];
}
