import type { Core } from "../../compose/build-core.ts";
import type { HourlyArrivals } from "../../ports/failures.ts";
import { readFailureMatcher } from "../../redrive/failures/failure-matcher.ts";
import type { FailureView } from "../../redrive/failures/failure-views.ts";
import { readLaneStandings, type LaneStanding } from "../../redrive/plan/lane-standings.ts";
import type { DrainRuntime } from "../../redrive/runtime.ts";
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
  const arrivals = await readArrivals(drains, failure.id);
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

async function readArrivals(drains: readonly DrainRuntime[], id: string): Promise<HourlyArrivals> {
  const sums: Record<string, number> = {};
  for (const { source, config } of drains) {
    const hours = (await source.passes.arrivals(config.name)).get(id) ?? {};
    for (const [hour, count] of Object.entries(hours)) sums[hour] = (sums[hour] ?? 0) + count;
  }
  return sums;
}
