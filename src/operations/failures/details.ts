import type { Core } from "../../compose/build-core.ts";
import type { HourlyArrivals } from "../../ports/failures.ts";
import { readFailureMatcher } from "../../redrive/failures/failure-matcher.ts";
import type { FailureView } from "../../redrive/failures/failure-views.ts";
import { readLaneStandings, type LaneStanding } from "../../redrive/plan/lane-standings.ts";
import { readArrivals } from "./arrivals.ts";
import { sourceOf } from "./choose.ts";
import { readSample, type Sample } from "./sample.ts";

export interface FailureDetails {
  readonly failure: FailureView;
  /** Of all drains of its source. */
  readonly arrivals: HourlyArrivals;
  readonly lanes: readonly { readonly drain: string; readonly lane: LaneStanding }[];
  readonly sample: Sample;
}

/** Throws `redis-unavailable`. */
export async function readDetails(
  core: Core,
  failure: FailureView,
  signal: AbortSignal,
): Promise<FailureDetails> {
  const source = sourceOf(core, failure).runtime;
  const own = failure.drains.toSorted((one, other) => other.waiting - one.waiting);
  const drains = own.flatMap(({ drain }) => core.drains.get(drain) ?? []);
  const arrivals = (await readArrivals(drains)).get(failure.id) ?? {};
  const { id, sample } = failure;
  const isOfKind = await readFailureMatcher(source, id);
  // `(other)` and `(unreadable)` have none.
  const hasLane = !failure.origin.startsWith("(");
  const lanes = await Promise.all(
    drains.map(async (drain) => {
      if (!hasLane) return [];
      const lane = (await readLaneStandings(drain, [failure.origin])).get(failure.origin);
      return lane === undefined ? [] : [{ drain: drain.config.name, lane }];
    }),
  );
  return {
    failure,
    arrivals,
    lanes: lanes.flat(),
    sample: await readSample({ source, drains, sample, isOfKind, arrivals, signal }),
  };
}
