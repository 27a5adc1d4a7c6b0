/** How one lane of the in-memory reference gets from one state to the next. */
import type { ComeBackKind } from "../../../src/message/come-back-kind.ts";
import type { LaneChange, LaneState } from "../../../src/ports/lanes.ts";
import { idleMs, maxProbe, steadyWatches } from "../../../src/store/lanes/lane-numbers.ts";
import {
  countedOf,
  downOf,
  isClosed,
  knownOf,
  newStep,
  sizeIn,
  stepsOf,
  takenOf,
  waitsForGrants,
  wholeOf,
  type Lane,
  type Step,
} from "./memory-lane.ts";
import { takeResumeMinutes, takeWantsFull } from "./memory-lane-places.ts";

export type Moved = Extract<LaneChange, { kind: "moved" }>;

export function becomeNewWhenIdle(lane: Lane, now: number): void {
  if (lane.state !== "open" && lane.state !== "ramping") return;
  if (now - lane.usedAt <= Math.max(idleMs, 3 * lane.config.watchMs)) return;
  if (stepsOf(lane).some(({ underWay }) => underWay > 0)) return;
  enter(lane, "canary", "unused for 1 h", sizeIn("canary", lane.config), now);
}

function enter(lane: Lane, state: LaneState, why: string, size: number, now: number): void {
  if (isSteady(lane)) lane.probeEvery = null;
  lane.isDoubted = false;
  if (lane.state === "halted") lane.resumedAt = now;
  lane.state = state;
  lane.why = why;
  lane.since = now;
  lane.step = newStep(lane.step.step + 1, size, lane.config);
  lane.previous = null;
  // What is in them is found by a full pass.
  if (state === "open") lane.resumeMinutes = [];
}

/** Open for so long that what happened before says nothing any more. */
function isSteady({ state, usedAt, since, config }: Lane): boolean {
  return state === "open" && usedAt - since >= steadyWatches * config.watchMs;
}

function probeEveryOf({ probeEvery, config: { probeEveryMs } }: Lane, factor = 1): number {
  const every = Math.ceil((probeEvery ?? probeEveryMs) * factor);
  return Math.min(Math.max(every, probeEveryMs), maxProbe * probeEveryMs);
}

function halt(lane: Lane, cause: ComeBackKind, why: string, now: number): void {
  if (lane.state !== "canary") lane.isShaky = !isSteady(lane);
  enter(lane, "halted", why, sizeIn("halted", lane.config), now);
  lane.cause = cause;
  lane.halts += 1;
  lane.probeEvery = probeEveryOf(lane);
  lane.nextAt = now + lane.probeEvery;
}

/** Judges a step where it can be. `lookedAt`: when a listing began that showed all of its come-backs; null: nobody looked. */
export function settle(lane: Lane, step: Step, checkedAt: number | null, now: number): Moved | null {
  const from = lane.state;
  const told = { sent: knownOf(step), comeBacks: step.back.size };
  if (!judge(lane, step, checkedAt, now)) return null;
  const { id, drain, origin, state: to, why } = lane;
  const size = to === "halted" ? 0 : lane.step.size;
  const resumeMinutes = to === "canary" || to === "ramping" ? takeResumeMinutes(lane, now) : [];
  return {
    kind: "moved",
    lane: id,
    drain,
    origin,
    from,
    to,
    size,
    why,
    ...told,
    resumeMinutes,
    wantsFull: takeWantsFull(lane, resumeMinutes),
  };
}

/** Whether it is in another state, or at the next size. */
function judge(lane: Lane, step: Step, checkedAt: number | null, now: number): boolean {
  const { back, delivered, haltAt } = step;
  const whole = wholeOf(lane, step, now);
  const cameBack = `${back.size} of ${whole} came back, ${statusesOf(backStatuses(step))}`;
  // A share like 0.29 of 100 is a little less than 29 in binary. Nothing is more than all of it, which is too many all the same.
  const isTooMany = downOf(step) > haltAt * whole + 1e-9 || downOf(step) >= whole;
  const isByChance = isTooMany && mayBeByChance(lane, step, whole);
  if (lane.state !== "halted" && isTooMany && !isByChance) {
    halt(lane, "down", cameBack, now);
    return true;
  }
  const isSilent =
    checkedAt !== null &&
    step.lastAt !== null &&
    !waitsForGrants(lane, step) &&
    checkedAt >= step.lastAt + step.watchMs;
  const isAllKnown = isClosed(lane, step, now) && back.size + delivered.size >= countedOf(lane, step);
  if (!isSilent && !isAllKnown) return false;
  if (lane.state === "halted") return judgeProbe(lane, step, now);
  if (back.size >= whole) {
    if (whole >= 3) {
      halt(lane, "refused", cameBack, now);
      return true;
    }
    lane.why = `${cameBack}: too few to tell`;
    lane.isDoubted = isByChance;
    dropStep(lane, step);
    return false;
  }
  if (lane.state === "open") {
    lane.isDoubted = isByChance;
    dropStep(lane, step);
    return false;
  }
  const size = Math.max(10 * whole, lane.config.canary);
  const isOpen = size >= lane.config.openFrom;
  const why = `${whole - back.size} of ${whole} survived`;
  lane.isMixed = false;
  enter(lane, isOpen ? "open" : "ramping", why, isOpen ? sizeIn("open", lane.config) : size, now);
  return true;
}

/** One of an open lane that has few: the next period tells. */
function mayBeByChance({ state, isDoubted, config }: Lane, step: Step, whole: number): boolean {
  return state === "open" && !isDoubted && downOf(step) === 1 && whole < config.canary;
}

function judgeProbe(lane: Lane, step: Step, now: number): boolean {
  const isUp = lane.cause === "down" && !lane.isMixed && downOf(step) < step.back.size;
  const survived = takenOf(step) - step.back.size;
  const hasSurvived = survived > 0;
  if (hasSurvived || isUp) {
    lane.isMixed = !hasSurvived;
    const why = whyResumed(step, survived);
    const { canary, openFrom } = lane.config;
    const isStep = hasSurvived && !lane.isShaky && 10 * canary < openFrom;
    if (isStep) enter(lane, "ramping", why, 10 * canary, now);
    else enter(lane, "canary", why, sizeIn("canary", lane.config), now);
    lane.nextAt = null;
    return true;
  }
  lane.probeEvery = probeEveryOf(lane, 1.5);
  lane.nextAt = now + lane.probeEvery;
  lane.why = `a probe came back, ${statusesOf(backStatuses(step))}`;
  dropStep(lane, step);
  return false;
}

function whyResumed(step: Step, survived: number): string {
  // Of what is known to be bad: it was answered, and refused as before.
  const again = [...step.delivered.values()].filter((status) => status !== null);
  if (survived > again.length) return "a probe survived";
  if (survived > 0) return `a probe was answered, refused as before, ${statusesOf(again)}`;
  return `the receiver answers, ${statusesOf(backStatuses(step))}`;
}

/** The same again, under a new number. */
function dropStep(lane: Lane, step: Step): void {
  if (step === lane.previous) lane.previous = null;
  else lane.step = newStep(step.step + 1, step.size, lane.config);
}

function backStatuses({ back }: Step): readonly number[] {
  return [...back.values()].map(({ status }) => status);
}

/** The three most frequent. */
function statusesOf(statuses: readonly number[]): string {
  const counts = new Map<number, number>();
  for (const status of statuses) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts]
    .toSorted(([one, often], [other, seldom]) => seldom - often || one - other)
    .slice(0, 3)
    .map(([status]) => (status === 0 ? "no answer" : String(status)))
    .join(", ");
}
