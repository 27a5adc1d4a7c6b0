/**
 * Asks the lanes which candidates of a page may be published now, in one round trip.
 *
 *   candidates ─┬─ reconcile an earlier POST ─► go on, with any answer of the lane
 *               └─ by destination ─► ask ─┬─ canaries ─► go on, sent in a way that gives silence a meaning
 *                                         ├─ plain ────► go on as they are
 *                                         └─ others ───► held: lane-watched, lane-halted
 */
import { canaryTimeoutMs } from "../page/publish/canary-variant.ts";
import { isKnownBad, comeBackKindOf } from "../../message/come-back-kind.ts";
import { toLaneId, laneOriginOf, laneOriginOfLetter } from "./lane-id.ts";
import type { LaneConfig } from "../../ports/drains.ts";
import type { LaneAnswer, LaneUnused, Origin } from "../../ports/lanes.ts";
import { groupBy } from "../group-by.ts";
import type { DrainRuntime } from "../runtime.ts";
import { isReconciling } from "../page/capacity-request.ts";
import { held, sentAs, type Candidate, type DecidedRecord, type HeldResult } from "../page/records.ts";
import { canariesByStep, chooseCanaries } from "./canaries.ts";

export interface Admission {
  readonly free: readonly Candidate[];
  readonly held: readonly HeldResult<Candidate>[];
  /** Without attempts left, and not parked for it while their lane is suspected. */
  readonly kept: readonly HeldResult<DecidedRecord>[];
}

interface Group {
  readonly lane: string;
  readonly origin: Origin;
  readonly candidates: readonly Candidate[];
  readonly exhausted: readonly DecidedRecord[];
}

/** `exhausted`: records about to be parked because their attempts are spent. Throws `redis-unavailable`. */
export async function admitToLanes(
  drain: DrainRuntime,
  candidates: readonly Candidate[],
  exhausted: readonly DecidedRecord[],
): Promise<Admission> {
  const { config, source } = drain;
  const { lane } = config;
  const unasked = { free: candidates, held: [], kept: [] };
  if (lane === undefined) return unasked;
  const asking = candidates.filter((one) => !isReconciling(one));
  const groups = toGroups(drain, asking, exhausted.filter(mayBeKept));
  if (groups.length === 0) return unasked;

  const asks = groups.map((one) => ({
    lane: one.lane,
    origin: one.origin,
    wanted: one.candidates.length,
    resumeMinutes: resumeMinutesOf(worthRecalling(one.candidates)),
  }));
  const { answers } = await source.lanes.ask(config.name, lane, asks);
  const canaries: Candidate[] = [];
  const plain: Candidate[] = [];
  const heldHere: HeldResult<Candidate>[] = [];
  const kept: HeldResult<DecidedRecord>[] = [];
  const unused: LaneUnused[] = [];
  for (const [index, group] of groups.entries()) {
    const answer = answers[index];
    if (answer === undefined) continue;
    const shared = share(group, answer, lane);
    canaries.push(...shared.canaries);
    plain.push(...shared.plain);
    heldHere.push(...shared.held);
    const count = answer.canaries - shared.canaries.length;
    const waiting = worthRecalling(shared.held.map(({ candidate }) => candidate));
    const resumeMinutes = resumeMinutesBeside(asks[index]?.resumeMinutes ?? [], waiting);
    if (count > 0 || resumeMinutes.length > 0)
      unused.push({ lane: group.lane, step: answer.step, count, resumeMinutes });
    if (answer.isSuspect) kept.push(...group.exhausted.map((one) => held(one, whyHeld(answer))));
  }
  await source.lanes.giveBack(unused);
  return {
    free: [...candidates.filter(isReconciling), ...canaries, ...plain],
    held: heldHere,
    kept,
  };
}

/** Gives back unpublished grants. By now everything else that could hold a candidate has been asked. */
export async function giveBackUnpublished(
  { source }: DrainRuntime,
  granted: readonly Candidate[],
  published: ReadonlySet<unknown>,
): Promise<void> {
  const left = granted.filter(({ letter }) => !published.has(letter.dlqId));
  await source.lanes.giveBack(
    canariesByStep(left).map(({ lane, step, canaries }) => ({
      lane,
      step,
      count: canaries.length,
      resumeMinutes: [],
    })),
  );
}

/** Known bad messages are recalled only alone: a lane that only refuses would be tried with them for ever. */
function worthRecalling(candidates: readonly Candidate[]): readonly Candidate[] {
  const others = candidates.filter(({ lineage }) => !isKnownBad(lineage));
  return others.length > 0 ? others : candidates;
}

function toGroups(
  { config }: DrainRuntime,
  candidates: readonly Candidate[],
  exhausted: readonly DecidedRecord[],
): readonly Group[] {
  const asking = groupBy(candidates, (one) => laneOriginOf(one.toItem(1)));
  const spent = groupBy(exhausted, (one) => laneOriginOfLetter(one.letter));
  const origins = [...new Set([...asking.keys(), ...spent.keys()])].filter((origin) => origin !== null);
  return origins.map((origin) => ({
    lane: toLaneId(config.name, origin),
    origin,
    candidates: asking.get(origin) ?? [],
    exhausted: spent.get(origin) ?? [],
  }));
}

function share(
  { lane, origin, candidates }: Group,
  answer: LaneAnswer,
  { watchMs }: LaneConfig,
): {
  readonly canaries: readonly Candidate[];
  readonly plain: readonly Candidate[];
  readonly held: readonly HeldResult<Candidate>[];
} {
  const canaries = chooseCanaries(candidates, answer);
  const isCanary = new Set(canaries);
  const others = candidates.filter((one) => !isCanary.has(one));
  const plain = others.slice(0, answer.plain);
  const rest = others.slice(answer.plain);
  const { step } = answer;
  const isProbe = answer.state === "halted";
  const timeoutMs = canaryTimeoutMs(watchMs);
  return {
    canaries: canaries.map((one) => sentAs(one, { step: { lane, step }, isProbe, timeoutMs })),
    plain,
    held: rest.map((one) => held(one, whyHeld(answer), answer.until ?? undefined, origin)),
  };
}

function whyHeld({ state }: LaneAnswer): "lane-halted" | "lane-watched" {
  return state === "halted" ? "lane-halted" : "lane-watched";
}

/** About to be parked because its attempts are spent; one that was parked before stays so. */
export function isNewlyExhausted({ decision, view }: Pick<DecidedRecord, "decision" | "view">): boolean {
  return decision.then === "park" && decision.reason === "attempts-exhausted" && view.state !== "parked";
}

/** A lane prevents a park only after a failure that an outage may cause. */
export function mayBeKept({ letter }: Pick<DecidedRecord, "letter">): boolean {
  return comeBackKindOf(letter.responseStatus) === "down";
}

/** The pass book lists again by minutes of entry. */
const minuteMs = 60_000;

/** Minutes that a lane resumes from: the entry of the oldest of these, and of the one in the middle. */
export function resumeMinutesOf(candidates: readonly Pick<Candidate, "letter">[]): readonly number[] {
  const entered = candidates.map(({ letter }) => letter.enteredAt).toSorted((one, other) => one - other);
  const two = [entered[0], entered[Math.floor(entered.length / 2)]].filter((at) => at !== undefined);
  return [...new Set(two.map(toMinute))];
}

/** The same of held candidates, if none of them is in these minutes: all of those were granted. */
export function resumeMinutesBeside(
  known: readonly number[],
  held: readonly Pick<Candidate, "letter">[],
): readonly number[] {
  return held.some(({ letter }) => known.includes(toMinute(letter.enteredAt))) ? [] : resumeMinutesOf(held);
}

function toMinute(at: number): number {
  return Math.floor(at / minuteMs) * minuteMs;
}
