/**
 * Asks for capacity before candidates are published: the rates of the drain, host and rule, and the ceilings
 * of the pass and day. All replicas share them.
 *
 *   take ─┬─ granted ─► published now; a grant that led to no POST is given back, and what waited too long
 *         │             for its batch takes again
 *         ├─ wait ────► waits in place if its turn comes soon, asks its lane again if that was long ago, and
 *         │             takes again; otherwise held: rate-limit
 *         └─ ceiling ─► held: pass-limit, day-limit
 *
 * A slow host or rule delays nobody else: in every round all remaining candidates ask again.
 */
import type { ParkReason } from "../message/park-reasons.ts";
import { sleptFully } from "../contracts/clock.ts";
import { unlessRedisAway } from "../contracts/errors.ts";
import { isAutoRate, type AutoRate } from "../contracts/auto-rate.ts";
import type { CapacityVerdict, Rate } from "../contracts/capacity.ts";
import type { HoldReason } from "../rules/decision.ts";
import type { DrainRuntime } from "../runtime.ts";
import { groupBy } from "../group-items-by-key.ts";
import {
  byEntry,
  inPublishOrder,
  toAsking,
  toHeld,
  toQuery,
  undeliveredLimitOf,
  type Asking,
} from "./capacity-request.ts";
import { admitAgain } from "../lanes/admit.ts";
import type { Candidate, Grant } from "./records.ts";
import { whyNotNow } from "./publish/why-not-now.ts";
import { asksAgain, held, type PublishResult } from "./results.ts";

/** A page waits this long in place for the drain's own rate. Nothing else of the drain could go meanwhile. */
const maxWaitForDrainMs = 60_000;
/** The same for a host's or rule's rate. Other records wait behind it. At 10/s a page of 100 takes 9 s. */
const maxWaitForOthersMs = 15_000;
/** A page waits for no turn further off than this. The next pass comes sooner than many such turns. */
const maxTurnMs = 5_000;
/** Turns within this of the first are taken together, so that batches are full. It costs one short delay. */
const gatherMs = 250;
const minWaitMs = 10;
/** Requests of one take. */
const maxRequests = 100;

/** One answer of the capacity: what may be published now. */
export interface Turn {
  readonly granted: readonly Candidate[];
  readonly held: readonly PublishResult[];
  /**
   * Gives back grants that led to no POST. Without Redis only unused capacity is lost. What asks again comes in
   * a later turn, or is held.
   */
  readonly giveBack: (unused: readonly PublishResult[]) => Promise<void>;
}

export interface TurnSignals {
  readonly signal: AbortSignal;
  /** Ends a wait. The remaining candidates are held as `stopping`. */
  readonly stop: AbortSignal;
}

/**
 * The turns of candidates, in the order of `inPublishOrder`. A turn is to be published before the next one is
 * asked for. Without limits there is one turn, and nothing is asked. `pageReadAt`: Redis time. Throws
 * `redis-unavailable`; a candidate not published by then was not begun.
 */
export async function* turnsOf(
  drain: DrainRuntime,
  candidates: readonly Candidate[],
  pageReadAt: number,
  signals: TurnSignals,
): AsyncGenerator<Turn, void, undefined> {
  if (candidates.length === 0) return;
  const { maxParallelism } = drain.source.config;
  if (maxParallelism === undefined && areUnlimited(drain.config, candidates)) {
    yield { granted: candidates.toSorted(byEntry), held: [], giveBack: async () => undefined };
    return;
  }
  const asking = inPublishOrder(toAsking(drain, candidates));
  const times = { admittedAt: drain.source.clock.monotonic(), pageReadAt };
  for (let start = 0; start < asking.length; start += maxRequests) {
    yield* inRounds(drain, asking.slice(start, start + maxRequests), times, signals);
  }
}

function areUnlimited({ limits, rules }: DrainRuntime["config"], candidates: readonly Candidate[]): boolean {
  if (Object.keys(limits).length > 0) return false;
  const limited = new Set<string | null>();
  for (const { name, limit } of rules) if (limit !== undefined) limited.add(name);
  return limited.size === 0 || candidates.every(({ decision }) => !limited.has(decision.rule));
}

async function* inRounds(
  drain: DrainRuntime,
  asking: readonly Asking[],
  times: { readonly admittedAt: number; readonly pageReadAt: number },
  { signal, stop }: TurnSignals,
): AsyncGenerator<Turn, void, undefined> {
  const { capacity, clock } = drain.source;
  const { pageReadAt } = times;
  let remaining = asking;
  let { admittedAt } = times;
  let startedAt: number | null = null;
  for (;;) {
    const askedAt = clock.monotonic();
    const admitted = await admitAgain(
      drain,
      remaining.map(({ candidate }) => candidate),
      admittedAt,
    );
    if (admitted !== null) {
      admittedAt = askedAt;
      if (admitted.held.length > 0) yield onlyHeld(admitted.held);
      remaining = inPublishOrder(toAsking(drain, admitted.free));
    }
    const free: Asking[] = [];
    const notNow: PublishResult[] = [];
    for (const one of remaining) {
      const reason = whyNotNow(drain, signal, one.candidate);
      if (reason === null) free.push(one);
      else notNow.push(held(one.candidate, reason));
    }
    if (notNow.length > 0) yield onlyHeld(notNow);
    if (free.length === 0) return;

    const takenAt = clock.monotonic();
    const { verdicts, at, ask } = await capacity.take(toQuery(drain, requestsOf(free)));
    const answeredAt = clock.monotonic();
    startedAt ??= at;
    const granted = free.filter((_, index) => verdicts[index]?.kind === "granted");
    const again: Asking[] = [];
    if (granted.length > 0) yield toTurn(drain, granted, { at, askedAt: takenAt }, again);

    const isNews = ask !== undefined && (await learnLoad(drain, ask, signal));

    const now = at + clock.monotonic() - answeredAt;
    const sorted = sortOut(drain, free, verdicts, { now, startedAt, pageReadAt });
    if (sorted.held.length > 0) yield onlyHeld(sorted.held);
    remaining = [...again, ...sorted.waiting];
    if (remaining.length === 0) return;
    const waitMs = again.length > 0 || isNews ? 0 : sorted.wakeAt - now;
    if (!(await sleptFully(clock, Math.max(minWaitMs, waitMs), stop))) {
      yield onlyHeld(remaining.map(({ candidate }) => held(candidate, "stopping")));
      return;
    }
  }
}

/** Asks the service what it has under way. True if it answered. */
async function learnLoad(
  { source, config }: DrainRuntime,
  { granted }: { readonly granted: number },
  signal: AbortSignal,
): Promise<boolean> {
  const limit = undeliveredLimitOf(source, config.lane);
  const load = await source.deliveryWatch.ask(signal);
  if (limit === undefined || load === undefined || "isAbsent" in load) return false;
  await source.capacity.learn(source.config.id, limit, { load, granted });
  return true;
}

function onlyHeld(results: readonly PublishResult[]): Turn {
  return { granted: [], held: results, giveBack: async () => undefined };
}

/** Adds to `again` what asks again. */
function toTurn(drain: DrainRuntime, granted: readonly Asking[], grant: Grant, again: Asking[]): Turn {
  const { capacity } = drain.source;
  return {
    granted: granted.map(({ candidate }) => ({ ...candidate, grant })),
    held: [],
    async giveBack(unused) {
      if (unused.length === 0) return;
      const requests = new Map(granted.map(({ candidate, request }) => [candidate.letter.dlqId, request]));
      const returned: Asking[] = [];
      for (const result of unused) {
        const { candidate } = result;
        const request = requests.get(candidate.letter.dlqId);
        if (request === undefined) continue;
        returned.push({ candidate, request });
        if (asksAgain(result)) again.push({ candidate, request });
      }
      // A grant may have moved since.
      for (const [at, some] of groupBy(returned, ({ candidate }) => candidate.grant?.at ?? grant.at)) {
        await unlessRedisAway(() => capacity.giveBack(toQuery(drain, requestsOf(some)), at), undefined);
      }
    },
  };
}

const requestsOf = (asking: readonly Asking[]) => asking.map(({ request }) => request);

/** Splits the refused requests into those that wait in place and the held ones. Times are Redis time. */
function sortOut(
  drain: DrainRuntime,
  asking: readonly Asking[],
  verdicts: readonly CapacityVerdict[],
  times: { readonly now: number; readonly startedAt: number; readonly pageReadAt: number },
) {
  // A page must be young enough to begin when its turn comes.
  const oldestAt = times.pageReadAt + drain.source.ledger.limits.maxPageAgeMs / 2;
  const forDrain = Math.min(times.startedAt + maxWaitForDrainMs, oldestAt);
  const forOthers = Math.min(times.startedAt + maxWaitForOthersMs, oldestAt);
  const deadlineOf = (verdict: Extract<CapacityVerdict, { kind: "wait" }>): number => {
    if (verdict.by === "publish" || verdict.by === "service") return forDrain;
    if (verdict.by === "rule") return forOthers;
    return Math.min(
      forOthers,
      times.startedAt + waitForHostMs(drain.config.limits.perHost, verdict.perSecond),
    );
  };
  const firstTurn = Math.min(...verdicts.flatMap((one) => (one.kind === "wait" ? [one.until] : [])));
  const waiting: Asking[] = [];
  const results: PublishResult[] = [];
  let wakeAt = firstTurn;
  for (const [index, one] of asking.entries()) {
    const verdict = verdicts[index];
    if (verdict === undefined || verdict.kind === "granted") continue;
    const isSoon = firstTurn <= times.now + maxTurnMs;
    if (verdict.kind === "ceiling" || !isSoon || verdict.until > deadlineOf(verdict)) {
      results.push(toHeld(drain, one, verdict));
    } else {
      waiting.push(one);
      if (verdict.until <= firstTurn + gatherMs) wakeAt = Math.max(wakeAt, verdict.until);
    }
  }
  return { waiting, held: results, wakeAt };
}

/**
 * How long a page waits for a host. One that is slower than at its beginning has as much less time: it would
 * delay the page's other hosts otherwise, and hold up its next pages for a few messages.
 */
function waitForHostMs(perHost: Rate | AutoRate | undefined, perSecond: number | undefined): number {
  if (perHost === undefined || perSecond === undefined || !isAutoRate(perHost)) return maxWaitForOthersMs;
  return maxWaitForOthersMs * Math.min(1, perSecond / perHost.fromPerSecond);
}

/** True if no POST was made for this candidate, or its only answer was "not now". */
export function leavesCapacityUnused(result: PublishResult): boolean {
  switch (result.kind) {
    case "published":
    case "in-doubt":
      return false;
    case "done-before":
      return true;
    case "parked":
      return !parksAfterPost.has(result.decision.reason);
    case "held":
      return !countedHolds.has(result.decision.reason);
  }
}

/** Holds after a POST that the service answered, or has not answered yet. */
const countedHolds: ReadonlySet<HoldReason> = new Set([
  "refused-alone",
  "source-halted",
  "outcome-unknown",
  "unworkable",
]);
const parksAfterPost: ReadonlySet<ParkReason> = new Set(["refused", "too-large", "unworkable"]);
