import { openAuditReader, type Core, type DrainRuntime } from "../../../job/door.ts";
import type { HourlyArrivals } from "../../../job/contracts/failures.ts";
import type { DrainName } from "../../../job/contracts/ids.ts";
import { readFailureMatcher } from "../../plan/failure-matcher.ts";
import type { FailureView } from "../../read/failure-views.ts";
import { readLaneStandings, type LaneStanding } from "../../read/lane-standings.ts";
import { readArrivals } from "./arrivals.ts";
import { sourceOf } from "./choose.ts";
import { readSample, type Sample } from "./sample.ts";
import { readTimeLine, type TimeLine } from "./time-line.ts";

export interface StoredDetails {
  readonly failure: FailureView;
  /** Of all drains of its source. */
  readonly arrivals: HourlyArrivals;
  readonly lanes: readonly { readonly drain: DrainName; readonly lane: LaneStanding }[];
}

export interface FailureDetails extends StoredDetails {
  readonly sample: Sample;
  readonly timeLine: TimeLine;
}

/** Without a call of the service. Throws `redis-unavailable`. */
export async function readStoredDetails(core: Core, failure: FailureView): Promise<StoredDetails> {
  const drains = drainsOf(core, failure);
  const arrivals = (await readArrivals(drains)).get(failure.id) ?? {};
  return { failure, arrivals, lanes: await readLanes(core, failure) };
}

/** Of its destination, by drain. Throws `redis-unavailable`. */
export async function readLanes(core: Core, failure: FailureView): Promise<StoredDetails["lanes"]> {
  // `(other)` and `(unreadable)` have none.
  if (failure.origin.startsWith("(")) return [];
  const lanes = await Promise.all(
    drainsOf(core, failure).map(async (drain) => {
      const lane = (await readLaneStandings(drain, [failure.origin])).get(failure.origin);
      return lane === undefined ? [] : [{ drain: drain.config.name, lane }];
    }),
  );
  return lanes.flat();
}

/** Throws `redis-unavailable`. */
export async function readDetails(
  core: Core,
  failure: FailureView,
  signal: AbortSignal,
): Promise<FailureDetails> {
  const source = sourceOf(core, failure).runtime;
  const stored = await readStoredDetails(core, failure);
  const { arrivals, lanes } = stored;
  const timeLine = await readTimeLine(await openAuditReader(core), source.ledger, failure, haltedOf(lanes));
  const { id, sample } = failure;
  const isOfKind = await readFailureMatcher(source, id);
  const drains = drainsOf(core, failure);
  return {
    ...stored,
    timeLine,
    sample: await readSample({ source, drains, sample, isOfKind, arrivals, signal }),
  };
}

/** Drains whose lane is halted. */
export function haltedOf(lanes: StoredDetails["lanes"]): readonly DrainName[] {
  return lanes.flatMap(({ drain, lane }) => (lane.state === "halted" ? [drain] : []));
}

/** Those that have met it, the most waiting first. */
function drainsOf(core: Core, { drains }: FailureView): readonly DrainRuntime[] {
  const own = drains.toSorted((one, other) => other.waiting - one.waiting);
  return own.flatMap(({ drain }) => core.drains.get(drain) ?? []);
}
