/**
 * The lanes that a plan's messages wait for, as they are now. Lanes are asked with nothing wanted: they grant
 * nothing to a plan, and remember nothing of it.
 */
import type { LaneConfig } from "../../ports/drains.ts";
import type { LaneState, LaneView, Origin } from "../../ports/lanes.ts";
import { isNewlyExhausted, mayBeKept } from "../lanes/exhausted.ts";
import { laneOriginOf, laneOriginOfLetter } from "../lanes/lane-id.ts";
import { peekLanes, type PeekedLane } from "../lanes/peek-lanes.ts";
import { isReconciling } from "../page/capacity-request.ts";
import type { DrainRuntime } from "../runtime.ts";
import type { SurveyedRecord } from "./survey.ts";

export interface LaneWait {
  readonly origin: Origin;
  /** Records that are due to it. */
  readonly due: number;
  /** Records without attempts left that it keeps from being parked. */
  readonly kept: number;
  readonly state: LaneState;
  /** For how long; null if nobody has asked for it, or not lately. */
  readonly sinceMs: number | null;
  readonly why: string | null;
  /** Sent of the step that is collecting or watched; of a halted lane 1 while its probe is out. */
  readonly sent: number;
  /** Until the next step, or the probe, can go, or the probe that is out is judged, at the latest; 0: now. */
  readonly nextInMs: number;
}

export interface LaneWaits {
  /** A destination gets more if nothing came back for so long. */
  readonly watchMs: number;
  /** Those with most records first. */
  readonly lanes: readonly LaneWait[];
  /** The rest: destinations, as far as they are counted apart, and how many records are due to them. */
  readonly more: { readonly lanes: number; readonly due: number };
}

/** Counts a plan's records by lane, in bounded memory. */
export interface LaneWaitCount {
  add(record: SurveyedRecord): void;
  /** One more that is due to it. */
  addDue(origin: Origin): void;
  /** Throws `redis-unavailable`. Null if the drain has no lanes. */
  read(): Promise<LaneWaits | null>;
}

const maxOrigins = 2_000;
const maxShown = 10;

interface Counts {
  due: number;
  exhausted: number;
}

export function createLaneWaitCount(drain: DrainRuntime): LaneWaitCount {
  const { lane } = drain.config;
  const byOrigin = new Map<Origin, Counts>();
  let othersDue = 0;
  const count = (origin: Origin, key: keyof Counts): void => {
    const known = byOrigin.get(origin);
    if (known !== undefined) known[key] += 1;
    else if (byOrigin.size < maxOrigins) byOrigin.set(origin, { due: 0, exhausted: 0, [key]: 1 });
    else if (key === "due") othersDue += 1;
  };
  const ask = async (
    shown: readonly (readonly [Origin, Counts])[],
    given: LaneConfig,
  ): Promise<readonly LaneWait[]> => {
    const peeked = await peekLanes(
      drain,
      given,
      shown.map(([origin]) => origin),
    );
    const views = await drain.source.lanes.viewsOf(peeked.map((one) => one.lane));
    return peeked.flatMap((one) => {
      const counts = byOrigin.get(one.origin);
      const view = views.find(({ lane: id }) => id === one.lane);
      const wait = counts === undefined ? null : toLaneWait(counts, one, view, given.watchMs);
      return wait === null || wait.due + wait.kept === 0 ? [] : [wait];
    });
  };
  return {
    add({ decided, candidate }) {
      if (lane === undefined) return;
      if (candidate !== null && !isReconciling(candidate)) count(laneOriginOf(candidate.toItem(1)), "due");
      if (!isNewlyExhausted(decided) || !mayBeKept(decided)) return;
      const origin = laneOriginOfLetter(decided.letter);
      if (origin !== null) count(origin, "exhausted");
    },
    addDue: (origin) => count(origin, "due"),
    async read() {
      if (lane === undefined) return null;
      const sorted = [...byOrigin].toSorted(
        ([one, ones], [other, others]) =>
          others.due - ones.due || others.exhausted - ones.exhausted || (one < other ? -1 : 1),
      );
      const shown = sorted.slice(0, maxShown);
      const rest = sorted.slice(maxShown).filter(([, { due }]) => due > 0);
      return {
        watchMs: lane.watchMs,
        lanes: shown.length === 0 ? [] : await ask(shown, lane),
        more: {
          lanes: rest.length + (othersDue > 0 ? 1 : 0),
          due: rest.reduce((sum, [, { due }]) => sum + due, othersDue),
        },
      };
    },
  };
}

function toLaneWait(
  { due, exhausted }: Counts,
  { origin, answer, at, nextInMs }: PeekedLane,
  view: LaneView | undefined,
  watchMs: number,
): LaneWait {
  const { state, step, isSuspect } = answer;
  // A lane that was open or ramping and is long unused starts over, which its view does not show.
  const seen = view?.state === state ? view : null;
  const sent = seen?.step === step ? seen.sent : 0;
  const grantInMs = nextInMs ?? 0;
  return {
    origin,
    due,
    kept: isSuspect ? exhausted : 0,
    state,
    sinceMs: seen === null ? null : Math.max(0, at - seen.since),
    why: seen === null || seen.why === "" ? null : seen.why,
    sent,
    // A probe that is out is judged by its own watch, long before another may go.
    nextInMs: state === "halted" && sent > 0 ? Math.min(grantInMs, watchMs) : grantInMs,
  };
}
