/**
 * Acts on the records that a plan selected and a check found as planned, and on nothing else:
 *
 *   list ─► decide ─► only records selected and still decided so ─► the page work of a pass (work-page.ts)
 *
 * The page work decides once more, right before it acts, and acts only if the record is still as planned.
 * Apply is a person's order, so the drain's mode does not count. A pause stops it. Ledger, limits, guards and
 * lanes apply as in a pass. Apply waits for records that have no room yet, or that another worker has in
 * hand, and lists the range again. It gives up after several rounds without progress. One probe to a halted
 * lane is no progress. A lane may have room before its time: others judge it too, and a person resets it. So a
 * wait looks at the lanes that hold something, and ends with the first that got room.
 */
import type { DlqId } from "../../job/message/dead-letter.ts";
import type { LedgerView } from "../../job/contracts/ledger-entries.ts";
import { takeoverAfterMs } from "../../job/contracts/ledger-limits.ts";
import type { Capacity } from "../../job/contracts/capacity.ts";
import { addTallies, emptyTally, noReasons, type Tally } from "../../job/contracts/tally.ts";
import {
  runListingChecks,
  type DrainRuntime,
  type ListingSignals,
  type Letter,
  type PageOutcome,
  survey,
  type SurveyPage,
  type SurveyRange,
  withNewer,
  workOrdered,
} from "../../job/door.ts";
import { groupBy } from "../../group-items-by-key.ts";
import type { PlanCheck } from "./check-plan.ts";
import { createHeldLanes, type LaneWaits } from "./lane-waits.ts";
import { createOpenOrders, isBeingDeleted, isDone } from "./open-orders.ts";
import { createOrderRecorder } from "./record-orders.ts";
import type { SkipReport } from "./skipped-by-apply.ts";
import { watchPause, type PauseWatch } from "./watch-pause-during-apply.ts";

export interface ApplyRun {
  readonly drain: DrainRuntime;
  readonly range: SurveyRange;
  /** Of its check. `open` is emptied as the work goes on. */
  readonly open: PlanCheck["open"];
  readonly meanwhile: PlanCheck["meanwhile"];
  readonly signals: ListingSignals;
  /** A person's reason, and when it was given, Unix ms by Redis. */
  readonly order: { readonly why?: string; readonly orderedAt?: number };
  /** Why the drain is paused now, for a person to read; null when it is not. */
  readonly pausedBy: () => Promise<string | null>;
  /** `left`: records of the plan that are not done yet. `soFar` costs a walk through them. */
  readonly onPage: (left: number, soFar: () => AppliedSoFar) => void;
  readonly onWait: (wait: ApplyWait) => void;
}

export interface ApplyWait {
  readonly left: number;
  /** Their reasons, as far as known, with the count of each. */
  readonly reasons: Readonly<Record<string, number>>;
  readonly nextCheckMs: number;
  /** Those that hold some of them, as they are now. */
  readonly lanes?: LaneWaits["lanes"];
}

export interface Applied {
  readonly tally: Tally;
  /** Archived and deleted, of `tally.deleted`. */
  readonly dropped: number;
  /** Done since the apply began by another worker, or published before and only deleted again by this apply. */
  readonly meanwhile: number;
  /** Records that differed, changed or were gone when their turn came. */
  readonly skips: SkipReport;
  /** Not done; a second apply of the plan continues with them. */
  readonly left: number;
  /** Reasons at their last decision; adds up to `left`. `not-reached`: never decided. */
  readonly leftReasons: Readonly<Record<string, number>>;
  /** The lanes that some of them wait for, as they are now; null if there are none, or Redis is away. */
  readonly leftLanes: LaneWaits | null;
  readonly stop:
    | null
    | { readonly kind: "interrupted" }
    | { readonly kind: "paused"; readonly why: string }
    | { readonly kind: "failed"; readonly error: unknown };
}

export type AppliedSoFar = Omit<Applied, "stop" | "leftLanes">;

/** Apply waits this long for a rate's next grant, and leaves records with a longer wait (a day's ceiling). */
export const maxWaitMs = 10 * 60_000;
const minWaitMs = 100;
/** Before the next round if no time is known; doubled by each round without progress. */
const blindWaitMs = 5_000;
const roundsWithoutProgress = 3;

/** Never throws: the answer has the failure that stopped it, beside everything done until then. */
export async function applyPlan(run: ApplyRun): Promise<Applied> {
  const pause = watchPause(run.drain.source.clock, run.pausedBy);
  const work = createWork(run, pause);
  let stop: Applied["stop"];
  try {
    stop = await work.rounds();
  } catch (error) {
    stop = isInterrupted(run) ? { kind: "interrupted" } : (pausedStop(pause) ?? { kind: "failed", error });
  } finally {
    pause.end();
  }
  return { ...work.applied(), stop, leftLanes: await work.lanes().catch(() => null) };
}

function isInterrupted({ signals: { signal, stopping } }: ApplyRun): boolean {
  return signal.aborted || stopping.aborted;
}

function pausedStop(pause: PauseWatch): Applied["stop"] {
  const why = pause.why();
  return why === null ? null : { kind: "paused", why };
}

function createWork(run: ApplyRun, pause: PauseWatch) {
  const { open } = run;
  // A pause ends waits as Ctrl-C does.
  const { signal, stopping } = run.signals;
  const signals = { signal, stopping: AbortSignal.any([signal, stopping, pause.signal]) };
  const { source } = run.drain;
  const capacity = reportingRateWaits(source.capacity, (count, waitMs) =>
    run.onWait({ left: open.size, reasons: { "rate-limit": count }, nextCheckMs: waitMs }),
  );
  let drain: DrainRuntime = {
    ...run.drain,
    config: { ...run.drain.config, mode: "live" },
    source: { ...source, capacity },
  };
  const orders = createOpenOrders(run.drain, open);
  /** Records with a drop as their last decision. */
  const drops = new Set<DlqId>();
  let tally = emptyTally;
  let dropped = 0;
  let { meanwhile } = run;
  const reasons = new Map<DlqId, string>();
  const held = createHeldLanes((dlqId) => open.has(dlqId) && isOfLane(reasons.get(dlqId) ?? ""));
  const recordOrders = createOrderRecorder(drain, run.order);
  /** When the first of this round's remaining records has room, Unix ms. */
  let nextAt = Infinity;
  /** When the first lane that some wait for can go on, as the lanes answer, Unix ms. */
  let laneAt = Infinity;

  const leave = (dlqId: DlqId, reason: string, until?: number): void => {
    reasons.set(dlqId, reason);
    if (until === undefined || until <= 0) return;
    if (isOfLane(reason)) laneAt = Math.min(laneAt, until);
    else nextAt = Math.min(nextAt, until);
  };

  const isAllHalted = (): boolean => [...open.keys()].every((dlqId) => reasons.get(dlqId) === "lane-halted");

  /** True if the plan selected it and it would be decided so now. */
  const isToBeDone = (letter: Letter): boolean => {
    const { decision } = letter;
    const found = orders.compare(letter);
    if (found === "not-now") {
      leave(letter.dlqId, decision.reason, untilOf(letter, takeoverAfterMs(source.ledger.limits)));
    }
    if (found === "act" && decision.then === "drop") drops.add(letter.dlqId);
    return found === "act";
  };

  const act = async (letters: readonly Letter[], readAt: number): Promise<PageOutcome> => {
    await recordOrders(letters);
    const raws = letters.map(({ raw }) => raw);
    const work = { stopping: signals.stopping, accepts: isToBeDone };
    const page = { records: raws, readAt, isAlone: open.size === letters.length };
    const isMetByPlans =
      run.drain.config.mode === "plan" && letters.some(({ reading }) => reading.kind === "come-back");
    const planCountedTo = isMetByPlans ? ((await source.passes.facts(drain.config.name))?.countedTo ?? 0) : 0;
    const outcome = await workOrdered({ ...drain, planCountedTo }, page, signals.signal, work);
    const ids = letters.map(({ dlqId }) => dlqId);
    const { views } = await source.ledger.peek(ids);
    const acted = new Set(outcome.acted);
    for (const [index, dlqId] of ids.entries()) {
      const view = views[index];
      // A discard takes what is parked too, so one that is parked still is not done.
      const isOver = (one: LedgerView): boolean =>
        isDone(one, drain.fromArchive !== undefined) ||
        (one.state === "parked" && drain.discard === undefined);
      if (view === undefined || !isOver(view)) continue;
      // A record found done or changed right before its act is counted already.
      if (!orders.takeOut(dlqId)) continue;
      if (!acted.has(dlqId)) meanwhile += 1;
      else if (view.state !== "parked" && drops.has(dlqId)) dropped += 1;
    }
    return outcome;
  };

  const workOn = async (page: SurveyPage): Promise<Applied["stop"]> => {
    const mine = page.letters.filter(isToBeDone);
    if (mine.length === 0) return null;
    const stop = await whyStop(run, pause, signals);
    if (stop !== null) return stop;
    const { tally: found, left } = await act(mine, page.readAt);
    tally = addTallies(tally, { ...found, listed: 0, due: 0, held: 0, inDoubt: 0, reasons: noReasons });
    const byId = new Map(mine.map((one) => [one.dlqId, one]));
    for (const { dlqId, reason, dueAt } of left) {
      leave(dlqId, reason === "stopping" && pause.why() !== null ? "paused" : reason, dueAt);
      const letter = byId.get(dlqId);
      if (letter !== undefined && isOfLane(reason)) held.add(letter);
    }
    return null;
  };

  const applied = (): AppliedSoFar => ({
    tally,
    dropped,
    meanwhile: meanwhile + orders.done().all,
    skips: orders.skips(),
    left: open.size,
    leftReasons: sum(open.keys(), reasons),
  });

  const round = async (): Promise<Applied["stop"]> => {
    nextAt = Infinity;
    laneAt = Infinity;
    // Also if a daemon runs the listing checks: without any, a step is never judged.
    if (drain.config.lane !== undefined) await runListingChecks(source, signals.signal);
    const unseen = new Set(open.keys());
    drain = await withNewer(drain, run.range, signals);
    for await (const page of survey(drain, run.range, signals)) {
      for (const { dlqId } of page.letters) unseen.delete(dlqId);
      const stop = await workOn(page);
      run.onPage(open.size, applied);
      if (stop !== null) return stop;
      if (unseen.size === 0) break;
    }
    await orders.takeOutUnlisted(unseen);
    // A watch runs from the last publish of its step. Only this process knows the end of its own watches, and
    // a round before that end is in vain.
    const ownAt = Math.min(...source.lanes.takeNext());
    nextAt = Math.min(nextAt, Number.isFinite(ownAt) ? ownAt : laneAt);
    return open.size > 0 ? pausedStop(pause) : null;
  };

  return {
    async rounds(): Promise<Applied["stop"]> {
      let isWoken = false;
      let looks = 0;
      for (let fruitless = 0; open.size > 0;) {
        const before = open.size;
        const stop = await round();
        if (stop !== null || open.size === 0) return stop;
        // A step that got room early may have gone to others: that wait was not in vain.
        if (open.size < before && !isAllHalted()) fruitless = 0;
        else if (!isWoken) fruitless += 1;
        isWoken = false;
        if (fruitless === roundsWithoutProgress) return null;
        const untilMs = Number.isFinite(nextAt) ? nextAt - source.clock.now() : blindWaitMs * 2 ** fruitless;
        // A living worker deletes what it published within seconds, long before it may be taken over.
        const isDeleting = [...open.keys()].some((dlqId) => reasons.get(dlqId) === "published-before");
        const lookMs = isDeleting ? blindWaitMs * 2 ** looks : Infinity;
        if (lookMs < untilMs) looks += 1;
        const waitMs = Math.min(untilMs, lookMs);
        if (waitMs <= maxWaitMs) {
          const nextCheckMs = Math.max(minWaitMs, waitMs);
          const onLook = (lanes: LaneWaits["lanes"], nextCheckMs: number): void =>
            run.onWait({ left: open.size, reasons: sum(open.keys(), reasons), nextCheckMs, lanes });
          const stop = AbortSignal.any([signals.signal, signals.stopping]);
          isWoken = (await held.wait(drain, nextCheckMs, stop, onLook)) || lookMs < untilMs;
        } else if (fruitless > 0) return null;
      }
      return null;
    },
    lanes: () => held.count(drain),
    applied,
  };
}

/** When a hold ends by itself, if that is known. Unix ms. */
function untilOf({ decision, view }: Letter, takeoverMs: number): number | undefined {
  // The worker that has it in hand is done by then, or it may be taken over.
  if (view.state === "open" && !view.unknown) return view.lastAt + takeoverMs + 1;
  if (isBeingDeleted(view)) return view.at + takeoverMs + 1;
  return decision.then === "hold" ? decision.until : undefined;
}

function isOfLane(reason: string): boolean {
  return reason === "lane-watched" || reason === "still-under-way" || reason === "lane-halted";
}

function sum(ids: Iterable<DlqId>, reasons: ReadonlyMap<DlqId, string>): Readonly<Record<string, number>> {
  const alike = groupBy(ids, (dlqId) => reasons.get(dlqId) ?? "not-reached");
  return Object.fromEntries([...alike].map(([reason, { length }]) => [reason, length]));
}

/** `onWait` gets how many of a query wait for a rate, and ms until the first could be granted. */
function reportingRateWaits(capacity: Capacity, onWait: (count: number, waitMs: number) => void): Capacity {
  return {
    ...capacity,
    async take(query) {
      const answer = await capacity.take(query);
      const turns = answer.verdicts.flatMap((one) => (one.kind === "wait" ? [one.until] : []));
      if (turns.length > 0) onWait(turns.length, Math.max(0, Math.min(...turns) - answer.at));
      return answer;
    },
  };
}

/** Apply waits for a rate limit that lasts no longer. */
const maxRateLimitMs = 60_000;

async function whyStop(run: ApplyRun, pause: PauseWatch, signals: ListingSignals): Promise<Applied["stop"]> {
  const { pausedBy, drain, open, onWait } = run;
  if (isInterrupted(run)) return { kind: "interrupted" };
  if (drain.config.paused) return { kind: "paused", why: "by the drains document" };
  const why = pause.why() ?? (await pausedBy());
  if (why !== null) return { kind: "paused", why };
  const { clock, health } = drain.source;
  const state = health.current("batch");
  if (state.state === "waiting" && state.until - clock.now() <= maxRateLimitMs) {
    const waitMs = Math.max(0, state.until - clock.now());
    onWait({ left: open.size, reasons: { "not-sent": open.size }, nextCheckMs: waitMs });
    await clock.sleep(waitMs, AbortSignal.any([signals.signal, signals.stopping]));
  }
  health.check();
  if (health.current("batch").state === "halted") health.check("batch");
  return null;
}
