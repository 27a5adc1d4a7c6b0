/**
 * Asks the lanes which candidates of a page may be published now, in one round trip.
 *
 *   candidates ─┬─ reconcile an earlier POST ─► go on, with any answer of the lane
 *               └─ by destination ─► ask ─┬─ canaries ─► go on, sent in a way that gives silence a meaning
 *                                         ├─ plain ────► go on as they are
 *                                         └─ others ───► held: lane-watched, still-under-way, lane-halted
 */
import { comeBackKindOf, isKnownBad } from "../message/come-back-kind.ts";
import { defined } from "../message/defined.ts";
import type { LaneConfig } from "../contracts/drains-document.ts";
import type { LaneUnused } from "../contracts/lanes.ts";
import { grantedForMs } from "../contracts/ledger-limits.ts";
import { groupBy } from "../group-items-by-key.ts";
import { canaryTimeoutMs, sentAs } from "../page/publish/canary-variant.ts";
import { isReconciling, type Candidate, type DecidedRecord } from "../page/records.ts";
import { held, type HeldResult } from "../page/results.ts";
import type { DrainRuntime, SourceRuntime } from "../runtime.ts";
import { chooseCanaries } from "./choose-canaries.ts";
import { canariesByStep } from "./canaries-by-step.ts";
import { toLaneId } from "./lane-id.ts";
import { laneOriginOf, laneOriginOfLetter } from "./lane-origin.ts";
import { resumeMinutesOf, resumeMinutesBeside } from "./resume-minutes.ts";

export interface Admission {
  readonly free: readonly Candidate[];
  readonly held: readonly HeldResult<Candidate>[];
  /** Without attempts left, and not parked for it while their lane is suspected. */
  readonly kept: readonly HeldResult<DecidedRecord>[];
  /** Without attempts left, and to be parked for it. */
  readonly toPark: readonly DecidedRecord[];
  /** No canary is sent later, by clock.monotonic(). */
  readonly grantsEndAt: number;
}

/** `exhausted`: records about to be parked because their attempts are spent. Throws `redis-unavailable`. */
export async function admitToLanes(
  drain: DrainRuntime,
  candidates: readonly Candidate[],
  exhausted: readonly DecidedRecord[],
  isAgain = false,
): Promise<Admission> {
  const { name, lane } = drain.config;
  const { lanes, ledger, clock } = drain.source;
  const grantsEndAt = clock.monotonic() + grantedForMs(ledger.limits);
  const unasked = { free: candidates, held: [], kept: [], toPark: exhausted, grantsEndAt };
  if (lane === undefined) return unasked;
  const asking = candidates.filter(needsLane);
  const groups = toGroups(name, asking, exhausted.filter(mayBeKept));
  if (groups.length === 0) return unasked;

  const asks = groups.map((one) => ({
    lane: one.lane,
    origin: one.origin,
    wanted: one.candidates.length,
    isAgain,
    resumeMinutes: resumeMinutesOf(worthRecalling(one.candidates)),
  }));
  const { answers } = await lanes.ask(name, { ...lane, ...proofOf(drain.source) }, asks);
  const timeoutMs = canaryTimeoutMs(lane.watchMs);
  const free = candidates.filter((one) => !needsLane(one));
  const plain: Candidate[] = [];
  const heldHere: HeldResult<Candidate>[] = [];
  const kept: HeldResult<DecidedRecord>[] = [];
  const unused: LaneUnused[] = [];
  for (const [index, group] of groups.entries()) {
    const answer = answers[index];
    if (answer === undefined) continue;
    const { step } = answer;
    const isProbe = answer.state === "halted";
    const reason = isProbe ? "lane-halted" : answer.isUnknown ? "still-under-way" : "lane-watched";
    const canaries = new Set(chooseCanaries(group.candidates, answer));
    const sendAs = { step: { lane: group.lane, step }, isProbe, timeoutMs };
    for (const one of canaries) free.push(sentAs(one, sendAs));
    const others = group.candidates.filter((one) => !canaries.has(one));
    const isOpen = answer.state === "open";
    plain.push(...others.slice(0, answer.plain), ...(isOpen ? group.sentAhead : []));
    const rest = [...others.slice(answer.plain), ...(isOpen ? [] : group.sentAhead)];
    heldHere.push(...rest.map((one) => held(one, reason, answer.until ?? undefined, group.origin)));

    const count = answer.canaries - canaries.size;
    const resumeMinutes = resumeMinutesBeside(asks[index]?.resumeMinutes ?? [], worthRecalling(rest));
    if (count > 0 || resumeMinutes.length > 0) unused.push({ lane: group.lane, step, count, resumeMinutes });
    if (answer.isSuspect) kept.push(...group.exhausted.map((one) => held(one, reason)));
  }
  await lanes.giveBack(unused);
  const isKept = new Set(kept.map(({ candidate }) => candidate));
  const toPark = exhausted.filter((one) => !isKept.has(one));
  return { free: [...free, ...plain], held: heldHere, kept, toPark, grantsEndAt };
}

/**
 * What a lane has admitted waits this part of a watch without being asked again: until then a halt spares
 * little, and a period's canaries are spread over the messages that go.
 */
const partOfWatch = 1 / 20;

/**
 * Asks again for candidates that have waited for long: their lane may have halted, or need canaries by now.
 * Null if they have not. `admittedAt`: by clock.monotonic(). Throws `redis-unavailable`.
 */
export async function admitAgain(
  drain: DrainRuntime,
  candidates: readonly Candidate[],
  admittedAt: number,
): Promise<Pick<Admission, "free" | "held"> | null> {
  const { lane } = drain.config;
  if (lane === undefined) return null;
  if (drain.source.clock.monotonic() - admittedAt <= lane.watchMs * partOfWatch) return null;
  return admitToLanes(drain, candidates, [], true);
}

/** What it takes to know that a canary was delivered. Without either, silence is taken for it. */
function proofOf({ config, deliveryWatch }: SourceRuntime): Pick<LaneConfig, "byReport" | "byAsking"> {
  return defined({
    byReport: config.callbacks === undefined ? undefined : (true as const),
    byAsking: deliveryWatch.isOn() ? (true as const) : undefined,
  });
}

/** What reconciles goes in any case, and a canary has its grant. */
function needsLane(candidate: Candidate): boolean {
  return !isReconciling(candidate) && candidate.sendAs === null;
}

/** Gives back grants of candidates that were not published. */
export async function giveBackUnpublished(
  { source }: DrainRuntime,
  unpublished: readonly Candidate[],
): Promise<void> {
  const left = canariesByStep(unpublished);
  await source.lanes.giveBack(
    left.map(({ lane, step, canaries }) => ({ lane, step, count: canaries.length, resumeMinutes: [] })),
  );
}

/** Known bad messages are recalled only alone: a lane that only refuses would be tried with them for ever. */
function worthRecalling(candidates: readonly Candidate[]): readonly Candidate[] {
  const others = candidates.filter(({ lineage }) => !isKnownBad(lineage));
  return others.length > 0 ? others : candidates;
}

/** The silence of a message with a time of its own means nothing, so it asks for no place in a step. */
function isSentAhead(one: Candidate): boolean {
  return one.isSentAhead === true;
}

function toGroups(drain: string, candidates: readonly Candidate[], exhausted: readonly DecidedRecord[]) {
  const asking = groupBy(candidates, (one) => laneOriginOf(one.target));
  const spent = groupBy(exhausted, (one) => laneOriginOfLetter(one.letter));
  const origins = [...new Set([...asking.keys(), ...spent.keys()])].filter((origin) => origin !== null);
  return origins.map((origin) => ({
    lane: toLaneId(drain, origin),
    origin,
    candidates: (asking.get(origin) ?? []).filter((one) => !isSentAhead(one)),
    sentAhead: (asking.get(origin) ?? []).filter(isSentAhead),
    exhausted: spent.get(origin) ?? [],
  }));
}

/** About to be parked because its attempts are spent; one that was parked before stays so. */
export function isNewlyExhausted({ decision, view }: Pick<DecidedRecord, "decision" | "view">): boolean {
  return decision.then === "park" && decision.reason === "attempts-exhausted" && view.state !== "parked";
}

/** A lane prevents a park only after a failure that an outage may cause. */
export function mayBeKept({ letter }: Pick<DecidedRecord, "letter">): boolean {
  return comeBackKindOf(letter.responseStatus) === "down";
}
