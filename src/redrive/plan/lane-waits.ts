/**
 * The lanes that a plan's messages wait for, as they are now. Lanes are asked without wanting anything: they
 * grant nothing to a plan, and record nothing.
 */
import type { LaneConfig } from "../../ports/drains-document.ts";
import type { LaneState, LaneView, Origin } from "../../ports/lanes.ts";
import { isNewlyExhausted, mayBeKept } from "../lanes/admit.ts";
import { laneOriginOf, laneOriginOfLetter } from "../lanes/lane-origin.ts";
import { peekLanes, type PeekedLane } from "../lanes/peek-lanes.ts";
import { isReconciling } from "../page/records.ts";
import type { DrainRuntime } from "../runtime.ts";
import type { SurveyedRecord } from "./list-and-decide.ts";
import { createTopCount } from "./top-count.ts";

export interface LaneWait {
  readonly origin: Origin;
  readonly due: number;
  /** Records without attempts left that this lane saves from a park. */
  readonly kept: number;
  readonly state: LaneState;
  /** How long it has been in this state; null if nobody has asked for it, or not lately. */
  readonly sinceMs: number | null;
  readonly why: string | null;
  /** Sent of the step that is collecting or watched; of a halted lane 1 while its probe is out. */
  readonly sent: number;
  /** Ms until the next step or probe can go, or until the sent probe is judged, at the latest; 0: now. */
  readonly nextInMs: number;
}

export type LaneWaits = NonNullable<Awaited<ReturnType<ReturnType<typeof createLaneWaitCount>["read"]>>>;

const maxOrigins = 2_000;
const maxShown = 10;

export function createLaneWaitCount(drain: DrainRuntime) {
  const { lane } = drain.config;
  const due = createTopCount<Origin>(maxOrigins);
  const exhausted = createTopCount<Origin>(maxOrigins);
  const ask = async (shown: readonly Origin[], given: LaneConfig): Promise<readonly LaneWait[]> => {
    const peeked = await peekLanes(drain, given, shown);
    const views = await drain.source.lanes.viewsOf(peeked.map((one) => one.lane));
    return peeked
      .map((one) => {
        const counts = { due: due.count(one.origin), exhausted: exhausted.count(one.origin) };
        const view = views.find(({ lane: id }) => id === one.lane);
        return toLaneWait(counts, one, view, given.watchMs);
      })
      .filter((wait) => wait.due + wait.kept > 0);
  };
  return {
    add({ decided, candidate }: SurveyedRecord): void {
      if (lane === undefined) return;
      if (candidate !== null && !isReconciling(candidate)) due.add(laneOriginOf(candidate.target));
      if (!isNewlyExhausted(decided) || !mayBeKept(decided)) return;
      const origin = laneOriginOfLetter(decided.letter);
      if (origin !== null) exhausted.add(origin);
    },
    addDue: due.add,
    /** Throws `redis-unavailable`. Null if the drain has no lanes. */
    async read() {
      if (lane === undefined) return null;
      const { top, more } = due.top(maxShown);
      const waiting = top.map(({ key }) => key);
      const others = exhausted.top(maxShown).top.filter(({ key }) => due.count(key) === 0);
      const shown = [...waiting, ...others.map(({ key }) => key)].slice(0, maxShown);
      return {
        /** A destination gets more if nothing came back for so long. */
        watchMs: lane.watchMs,
        /** Those with most records first. */
        lanes: shown.length === 0 ? [] : await ask(shown, lane),
        /** Destinations beyond `lanes`, as far as counted apart, and their due records. */
        more: { lanes: more.kinds, due: more.count },
      };
    },
  };
}

function toLaneWait(
  { due, exhausted }: { readonly due: number; readonly exhausted: number },
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
