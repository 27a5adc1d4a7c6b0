/**
 * What the lanes of a drain would do with what a plan selects, as they stand now. They are asked with nothing wanted, so nothing is granted
 * to a plan and nothing of it is remembered.
 */
import { toLaneId } from "../lanes/lane-id.ts";
import type { LaneConfig } from "../../ports/drains.ts";
import type { LaneAnswer, LaneState, LaneView, Origin } from "../../ports/lanes.ts";
import { isNewlyExhausted, mayBeKept } from "../lanes/exhausted.ts";
import { laneOriginOf, laneOriginOfLetter } from "../lanes/lane-origin.ts";
import type { DrainRuntime } from "../runtime.ts";
import { isReconciling } from "../page/capacity-request.ts";
import { timeFor } from "./estimate.ts";
import { foreseeSteps, type LaneSteps } from "./lane-steps.ts";
import type { SurveyedRecord } from "./survey.ts";

/** One lane: how many would go when, if nothing of them comes back. */
export interface LaneForecast extends LaneSteps {
  readonly origin: Origin;
  /** Records that are due to it; one that was halted sends a single one of them, its probe, until that survives. */
  readonly due: number;
  /** Records without attempts left that it keeps from being parked. */
  readonly kept: number;
  readonly state: LaneState;
  /** For how long; null where nobody has asked for it, or not lately. */
  readonly sinceMs: number | null;
  readonly why: string | null;
  /** Sent of the step that is collecting or watched; of a halted lane 1 while its probe is out. */
  readonly sent: number;
  /** Until the next step, or the probe, can go, or the probe that is out is judged, at the latest; 0: now. */
  readonly nextInMs: number;
  /** Until the last of them can go by the lane. */
  readonly durationMs: number;
  /** Until the last of them can go by the drain's and the host's rate, which it shares with what is due to other lanes. */
  readonly limitsMs: number;
}

export interface LanesForecast {
  readonly watchMs: number;
  /** Those with most records first. */
  readonly lanes: readonly LaneForecast[];
  /** The rest: destinations, as far as they were told apart, and what is due to them. */
  readonly more: { readonly lanes: number; readonly due: number };
}

/** What a plan's records want of lanes, of bounded size. */
export interface LaneDemand {
  add(record: SurveyedRecord): void;
  /** One more that is due to it. */
  due(origin: Origin): void;
  /** Throws `redis-unavailable`. Null where the drain has no lanes. */
  forecast(): Promise<LanesForecast | null>;
}

const mostOrigins = 2_000;
const mostForeseen = 10;

interface Wanted {
  due: number;
  exhausted: number;
}

export function createLaneDemand({ config, source }: DrainRuntime): LaneDemand {
  const byOrigin = new Map<Origin, Wanted>();
  const others = { lanes: 0, due: 0 };
  const count = (origin: Origin, key: keyof Wanted): void => {
    const known = byOrigin.get(origin);
    if (known !== undefined) known[key] += 1;
    else if (byOrigin.size < mostOrigins) byOrigin.set(origin, { due: 0, exhausted: 0, [key]: 1 });
    else if (key === "due") {
      others.lanes = 1;
      others.due += 1;
    }
  };
  const { lane } = config;
  return {
    add({ decided, candidate }) {
      if (lane === undefined) return;
      if (candidate !== null && !isReconciling(candidate)) count(laneOriginOf(candidate.toItem(1)), "due");
      if (!isNewlyExhausted(decided) || !mayBeKept(decided)) return;
      const origin = laneOriginOfLetter(decided.letter);
      if (origin !== null) count(origin, "exhausted");
    },
    due: (origin) => count(origin, "due"),
    async forecast() {
      if (lane === undefined) return null;
      const sorted = [...byOrigin].toSorted(
        ([one, ones], [other, others_]) =>
          others_.due - ones.due || others_.exhausted - ones.exhausted || (one < other ? -1 : 1),
      );
      const inAll = sorted.reduce((sum, [, { due }]) => sum + due, others.due);
      const told = sorted.slice(0, mostForeseen);
      const rest = sorted.slice(mostForeseen).filter(([, { due }]) => due > 0);
      return {
        watchMs: lane.watchMs,
        lanes: told.length === 0 ? [] : await ask(told, lane, inAll),
        more: {
          lanes: rest.length + others.lanes,
          due: rest.reduce((sum, [, { due }]) => sum + due, others.due),
        },
      };
    },
  };

  function limitsMsOf(count: number, inAll: number): number {
    const { publish, perHost } = config.limits;
    return Math.ceil(
      Math.max(
        publish === undefined ? 0 : timeFor(inAll, publish),
        perHost === undefined ? 0 : timeFor(count, perHost),
      ),
    );
  }

  async function ask(
    told: readonly (readonly [Origin, Wanted])[],
    given: LaneConfig,
    inAll: number,
  ): Promise<readonly LaneForecast[]> {
    const asks = told.map(([origin]) => ({
      lane: toLaneId(config.name, origin),
      origin,
      wanted: 0,
      places: [],
    }));
    const { answers, at } = await source.lanes.ask(config.name, given, asks);
    const views = await source.lanes.viewsOf(asks.map(({ lane }) => lane));
    return told.flatMap(([origin, wanted], index) => {
      const answer = answers[index];
      if (answer === undefined) return [];
      const view = views.find((one) => one.lane === asks[index]?.lane);
      const one = toForecast(origin, wanted, {
        answer,
        view,
        at,
        lane: given,
        limitsMs: wanted.due === 0 ? 0 : limitsMsOf(wanted.due, inAll),
      });
      return one.due + one.kept > 0 ? [one] : [];
    });
  }
}

function toForecast(
  origin: Origin,
  { due, exhausted }: Wanted,
  {
    answer: { state, step, until, isSuspect },
    view,
    at,
    lane,
    limitsMs,
  }: {
    readonly answer: LaneAnswer;
    readonly view: LaneView | undefined;
    readonly at: number;
    readonly lane: LaneConfig;
    readonly limitsMs: number;
  },
): LaneForecast {
  // What was open or ramping and long unused is new again, which its view does not say.
  const seen = view?.state === state ? view : null;
  const { size, sent } = seen?.step === step ? seen : { size: state === "halted" ? 1 : lane.canary, sent: 0 };
  const grantInMs = Math.max(0, (until ?? at) - at);
  // That a probe survives is known long before another may go.
  const nextInMs = state === "halted" && sent > 0 ? Math.min(grantInMs, lane.watchMs) : grantInMs;
  const isShaky = seen?.isShaky ?? false;
  const steps = foreseeSteps(due, { state, size, sent, isShaky, hasRoom: nextInMs === 0 }, lane);
  return {
    origin,
    due,
    kept: isSuspect ? exhausted : 0,
    state,
    sinceMs: seen === null ? null : Math.max(0, at - seen.since),
    why: seen === null || seen.why === "" ? null : seen.why,
    sent,
    nextInMs,
    ...steps,
    durationMs: nextInMs + steps.watches * lane.watchMs,
    limitsMs,
  };
}
