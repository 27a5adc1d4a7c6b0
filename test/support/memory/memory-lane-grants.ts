/** What one lane of the in-memory reference lets go, and when it wants something. */
import type { LaneAnswer, LaneAsk } from "../../../src/ports/lanes.ts";
import {
  blindAfterMs,
  callAgainMs,
  idleMs,
  checkEveryMs,
  repeatAfterMs,
  suspectMs,
} from "../../../src/store/lanes/lane-numbers.ts";
import { becomeNewWhenIdle } from "./memory-lane-judge.ts";
import { remember } from "./memory-lane-places.ts";
import {
  isClosed,
  knownOf,
  newStep,
  sizeIn,
  takenOf,
  waitsForGrants,
  type Lane,
  type Step,
} from "./memory-lane.ts";

/** Grants to a page that wants so many, and remembers where what is denied was met; 0 asks only. */
export function grant(
  lane: Lane,
  { wanted, resumeMinutes }: Pick<LaneAsk, "wanted" | "resumeMinutes">,
  now: number,
): LaneAnswer {
  becomeNewWhenIdle(lane, now);
  planAgain(lane);
  beginPeriod(lane, now);
  const { step } = lane;
  const canaries = Math.min(wanted, roomOf(lane, now));
  if (canaries > 0) {
    if (takenOf(step) === 0) step.firstAt = now;
    step.underWay += canaries;
    step.grantAt = now;
  }
  const plain = lane.state === "open" && !isBlind(lane, now) ? wanted - canaries : 0;
  // A probe that is given back had to be left to another, or was held: its place is called again.
  if (canaries + plain < wanted || lane.state === "halted") remember(lane, resumeMinutes);
  const until = nextGrantAt(lane, now);
  return {
    state: lane.state,
    canaries,
    plain,
    step: step.step,
    avoid: lane.roots,
    mayRepeat: lane.state !== "halted" || now >= lane.nextAt! + repeatAfterMs,
    until,
    isSuspect: isSuspect(lane, now),
  };
}

/** Whether what failed in it may have failed for the outage alone; not for ever, where nothing is left to try. */
function isSuspect({ state, usedAt, resumedAt }: Lane, now: number): boolean {
  if (state === "halted") return now - usedAt <= suspectMs;
  return state !== "open" && resumedAt !== null && now - resumedAt <= idleMs;
}

/** Open, and what it collected has waited for more than another watch, and a minute, to be judged: nobody sees whether it comes back. */
function isBlind({ state, previous }: Lane, now: number): boolean {
  if (state !== "open" || previous === null || previous.lastAt === null) return false;
  return now > previous.lastAt + 2 * previous.watchMs + blindAfterMs;
}

/** A step of which nothing was granted yet takes what is asked for now. */
function planAgain(lane: Lane): void {
  const { step, config, state } = lane;
  if (takenOf(step) > 0) return;
  step.firstAt = null;
  step.watchMs = config.watchMs;
  step.haltAt = config.haltAt;
  if (state !== "ramping") step.size = sizeIn(state, config);
}

/** Of an open lane: what it collected for one watch is watched, while the next is collected. */
function beginPeriod(lane: Lane, now: number): void {
  const { step } = lane;
  if (lane.state !== "open" || step.firstAt === null || now < step.firstAt + step.watchMs) return;
  if (lane.previous !== null && knownOf(lane.previous) > 0) return;
  lane.previous = step;
  lane.step = newStep(step.step + 1, sizeIn("open", lane.config), lane.config);
}

/** How many canaries may be granted now. */
function roomOf(lane: Lane, now: number): number {
  const { step, state } = lane;
  const taken = takenOf(step);
  switch (state) {
    case "halted":
      return taken === 0 && now >= lane.nextAt! ? 1 : 0;
    case "canary":
    case "ramping":
      return isClosed(lane, step, now) ? 0 : Math.max(0, step.size - taken);
    case "open": {
      if (isBlind(lane, now)) return 0;
      const elapsedMs = step.firstAt === null ? 0 : now - step.firstAt;
      if (elapsedMs >= step.watchMs) return 0;
      return Math.max(0, Math.max(1, Math.ceil((step.size * elapsedMs) / step.watchMs)) - taken);
    }
  }
}

/** When the next step or probe can be granted, as far as anybody knows; null where nothing is held. */
function nextGrantAt(lane: Lane, now: number): number | null {
  const { step, state } = lane;
  if (state === "open") return isBlind(lane, now) ? now + checkEveryMs : null;
  let at: number;
  if (state === "halted") {
    if (takenOf(step) === 0) return lane.nextAt;
    at = step.underWay > 0 ? step.grantAt! + lane.probeEvery! : lane.nextAt!;
  } else {
    if (roomOf(lane, now) > 0) return now;
    at = (step.lastAt ?? step.firstAt!) + step.watchMs;
  }
  return at > now ? at : now + checkEveryMs;
}

/** When the step wants a look: halfway through its watch, and when that is over and it waits for no grants. */
export function wantsLookAt(lane: Lane, step: Step, grantLifeMs: number): number | null {
  const { lookAt, lastAt, watchMs, grantAt } = step;
  if (lookAt === null || lastAt === null) return null;
  const isLate = waitsForGrants(lane, step) && lookAt >= lastAt + watchMs;
  return isLate ? Math.max(lookAt, grantAt! + grantLifeMs + 1) : lookAt;
}

/** When what is in its places is to be called, because there is room for it; null: not before something else happens. */
export function readyAt(lane: Lane, now: number, grantLifeMs: number): number | null {
  const { step, state, resumeMinutes } = lane;
  if (resumeMinutes.length === 0 || isBlind(lane, now)) return null;
  const at = step.calledAt === null ? lane.since : step.calledAt + callAgainMs;
  if (state === "open") return at;
  if (state === "halted" && takenOf(step) === 0) return Math.max(at, lane.nextAt!);
  if (roomOf(lane, now) > 0) return at;
  return step.underWay > 0 ? Math.max(at, step.grantAt! + grantLifeMs + 1) : null;
}
