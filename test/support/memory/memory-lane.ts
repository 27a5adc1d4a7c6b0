/**
 * One lane of the in-memory reference: what it remembers. memory-lane-grants.ts has what it lets go, memory-lane-judge.ts how it gets from
 * one state to the next (docs/lanes.md); lua/lane-machine.ts is all of it in Lua.
 */
import type { LaneConfig } from "../../../src/ports/drains.ts";
import type { DrainName } from "../../../src/ports/ids.ts";
import type { ComeBackKind } from "../../../src/message/come-back-kind.ts";
import type { LaneState, Origin } from "../../../src/ports/lanes.ts";
import { forgetAfterMs } from "../../../src/store/lanes/lane-numbers.ts";

export interface Step {
  step: number;
  size: number;
  watchMs: number;
  haltAt: number;
  /** Granted, and neither sent nor given back yet. */
  underWay: number;
  /** Granted, and forgotten while under way. */
  forgotten: number;
  sent: number;
  firstAt: number | null;
  grantAt: number | null;
  lastAt: number | null;
  /** When a look is wanted next. */
  lookAt: number | null;
  /** When places were handed out for it last. */
  calledAt: number | null;
  back: Map<string, { readonly kind: ComeBackKind; readonly status: number }>;
  /** By parent. Of what is known to be bad, which was answered: the status with which it was refused as before. Else null. */
  delivered: Map<string, number | null>;
}

export interface Lane {
  readonly id: string;
  drain: DrainName;
  origin: Origin;
  state: LaneState;
  since: number;
  why: string;
  /** When this was written last. */
  at: number;
  config: LaneConfig;
  step: Step;
  previous: Step | null;
  /** What halted it. */
  cause: ComeBackKind | null;
  resumedAt: number | null;
  nextAt: number | null;
  probeEvery: number | null;
  /** It halted again before it was open for long: what one probe shows is no step of it yet. */
  isShaky: boolean;
  /** Open: of a period of few one was down. Of the next it is not one by chance. */
  isDoubted: boolean;
  /** It went on because it had refused a probe, and nothing has survived since: a refused one says nothing more. */
  isMixed: boolean;
  /** Minutes of entry where its messages were met, ascending. */
  resumeMinutes: readonly number[];
  /** Something was held since a full pass was asked for: places are few, and tell of none that lie between them. */
  hasHeld: boolean;
  roots: readonly string[];
  canaries: number;
  comeBacks: number;
  halts: number;
  usedAt: number;
}

export function newLane(id: string, drain: DrainName, origin: Origin, config: LaneConfig, now: number): Lane {
  return {
    id,
    drain,
    origin,
    state: "canary",
    since: now,
    why: "new",
    at: now,
    config,
    // What Redis has forgotten may still come back: a number by time is not used again.
    step: newStep(Math.floor(now / 1_000), config.canary, config),
    previous: null,
    cause: null,
    resumedAt: null,
    nextAt: null,
    probeEvery: null,
    isShaky: false,
    isDoubted: false,
    isMixed: false,
    resumeMinutes: [],
    hasHeld: false,
    roots: [],
    canaries: 0,
    comeBacks: 0,
    halts: 0,
    usedAt: now,
  };
}

export function newStep(step: number, size: number, { watchMs, haltAt }: LaneConfig): Step {
  return {
    step,
    size,
    watchMs,
    haltAt,
    underWay: 0,
    forgotten: 0,
    sent: 0,
    firstAt: null,
    grantAt: null,
    lastAt: null,
    lookAt: null,
    calledAt: null,
    back: new Map(),
    delivered: new Map(),
  };
}

/** As it stands now: a clock that was set back moves its times, grants that are too old are forgotten. Null: too long unused. */
export function atNow(kept: Lane, now: number, grantLifeMs: number): Lane | null {
  const lane = structuredClone(kept);
  const backMs = lane.at - now;
  if (backMs > 1_000) {
    const moved = <Time extends number | null>(at: Time): Time => (at === null ? null : at - backMs) as Time;
    lane.since = moved(lane.since);
    lane.usedAt = moved(lane.usedAt);
    lane.nextAt = moved(lane.nextAt);
    lane.resumedAt = moved(lane.resumedAt);
    for (const step of stepsOf(lane)) {
      step.firstAt = moved(step.firstAt);
      step.grantAt = moved(step.grantAt);
      step.lastAt = moved(step.lastAt);
      step.lookAt = moved(step.lookAt);
      step.calledAt = moved(step.calledAt);
    }
  }
  if (now - lane.usedAt > forgetAfterMs) return null;
  for (const step of stepsOf(lane)) forgetGrants(lane, step, now - grantLifeMs);
  dropEmptyPrevious(lane);
  return lane;
}

/** Those before this. */
function forgetGrants(lane: Lane, step: Step, before: number): void {
  if (step.underWay === 0 || step.grantAt! >= before) return;
  // What is proven of them was sent.
  const proven = knownOf(step) - step.sent;
  step.sent += proven;
  step.forgotten += Math.max(0, step.underWay - proven);
  step.underWay = 0;
  // A forgotten probe may have been published all the same.
  if (lane.state === "halted") lane.nextAt = Math.max(lane.nextAt!, step.grantAt! + lane.probeEvery!);
  // Begun anew, so that what its workers say later is not taken for this one's.
  if (step === lane.step && takenOf(step) === 0) lane.step = newStep(step.step + 1, step.size, lane.config);
}

export function dropEmptyPrevious(lane: Lane): void {
  if (lane.previous !== null && takenOf(lane.previous) === 0) lane.previous = null;
}

export function stepsOf(lane: Lane): readonly Step[] {
  return lane.previous === null ? [lane.step] : [lane.previous, lane.step];
}

/** Known to be published: also what came back, or was delivered, without anybody having said that it was sent. */
export function knownOf(step: Step): number {
  return Math.max(step.sent, step.back.size + step.delivered.size);
}

export function takenOf(step: Step): number {
  return Math.max(step.sent + step.underWay, step.back.size + step.delivered.size);
}

/** How long a step takes messages after its first. */
export function gatherMs(lane: Lane, step: Step): number {
  return lane.state === "open" ? step.watchMs : Math.floor(step.watchMs / 2);
}

export function isClosed(lane: Lane, step: Step, now: number): boolean {
  const known = knownOf(step);
  return known >= step.size || (known > 0 && now >= step.firstAt! + gatherMs(lane, step));
}

/** An open lane waits for nobody's grants: plain messages go beside its canaries, and what is sent late is a smaller sample. */
export function waitsForGrants({ state }: Lane, step: Step): boolean {
  return state !== "open" && step.underWay > 0;
}

export function countedOf({ state }: Lane, step: Step): number {
  return state === "open" ? knownOf(step) : takenOf(step);
}

/** What a share of the step is a share of. */
export function wholeOf(lane: Lane, step: Step, now: number): number {
  return isClosed(lane, step, now) ? countedOf(lane, step) : step.size;
}

export function downOf(step: Step): number {
  return [...step.back.values()].filter(({ kind }) => kind === "down").length;
}

export function sizeIn(state: LaneState, config: LaneConfig): number {
  switch (state) {
    case "halted":
      return 1;
    case "open":
      return 10 * config.canary;
    case "canary":
    case "ramping":
      return config.canary;
  }
}
