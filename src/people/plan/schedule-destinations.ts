/** When the publishes of a plan go, destination by destination: by its lane, then by its host's rate. Pure. */
import type { LaneConfig } from "../../job/contracts/drains-document.ts";
import type { Origin } from "../../job/contracts/lanes.ts";
import { groupBy } from "../../job/group-items-by-key.ts";
import { countOf, inOrder, type Arrival } from "./due-times.ts";
import type { LaneStanding } from "./lane-standings.ts";
import { stepsOf } from "./lane-steps.ts";
import { finishOf, noLimit, type Pace } from "./pace.ts";

/** The publishes to one destination. */
export interface DestinationWork {
  /** Null: those to all destinations that are not counted apart. */
  readonly origin: Origin | null;
  /** By which a rate per host counts. */
  readonly host: string;
  /** Ascending; what is due now comes first, with `inMs` 0. */
  readonly arrivals: readonly Arrival[];
  /** Ms until the first that is not due now; null without any. */
  readonly earliestMs: number | null;
  /** Of those due now: an earlier POST is repeated. These wait for no lane, and no ceiling counts them. */
  readonly again: number;
  /** Of all of them: what rules with a rate of their own decide. */
  readonly rules: readonly { readonly rule: string; readonly arrivals: readonly Arrival[] }[];
  /** Null if the drain has none. */
  readonly lane: LaneStanding | null;
}

/** Times are ms from the plan's moment. */
export interface DestinationTimes {
  readonly work: DestinationWork;
  /** False if its lane is halted: `free` then has only what waits for no lane. */
  readonly isCounted: boolean;
  /** When its lane is open, or has sent the last of them in a step. */
  readonly openInMs: number;
  /** What its lane lets go, and when. */
  readonly free: readonly Arrival[];
  /** If it is not counted: if its next probe is delivered. */
  readonly finishMs: number;
  /** Of all that its host gets. */
  readonly hostPublishes: number;
}

type StepConfig = Pick<LaneConfig, "canary" | "watchMs" | "openFrom">;

/** `pace`: of each host. Those that are not counted apart have hosts enough to wait for none of them. */
export function scheduleDestinations(
  destinations: readonly DestinationWork[],
  lane: StepConfig | null,
  pace: Pace,
): readonly DestinationTimes[] {
  const laned = destinations
    .filter(({ arrivals }) => arrivals.length > 0)
    .map((work) => behindLane(work, lane, pace));
  // `http` and `https` of a host are two destinations, and share its rate.
  const hosts = groupBy(laned, ({ work }) => (work.origin === null ? null : work.host));
  return [...hosts].flatMap(([host, group]) => {
    const hostPace = host === null ? noLimit : pace;
    const together = inOrder(group.flatMap(({ free }) => free));
    const hostMs = finishOf(together, hostPace);
    return group.map(({ ifOpened, ...one }) => {
      const rateMs = one.isCounted ? hostMs : finishOf(ifOpened, hostPace);
      return { ...one, finishMs: Math.max(rateMs, one.openInMs), hostPublishes: countOf(together) };
    });
  });
}

function behindLane(work: DestinationWork, config: StepConfig | null, pace: Pace) {
  const { arrivals, again, lane } = work;
  if (lane === null || config === null || lane.state === "open") {
    return { work, isCounted: true, openInMs: 0, free: arrivals, ifOpened: arrivals };
  }
  const asking = without(arrivals, again);
  const startMs = asking[0]?.inMs ?? 0;
  const steps = stepsOf(lane, config, countOf(asking), pace);
  const openInMs = startMs + steps.ms;
  const reposted = again > 0 ? [{ inMs: 0, count: again }] : [];
  const inSteps = steps.sent > 0 ? [{ inMs: startMs, count: steps.sent }] : [];
  const behind = notBefore(without(asking, steps.sent), openInMs);
  const ifOpened = inOrder([...reposted, ...inSteps, ...behind]);
  const isCounted = lane.state !== "halted" || asking.length === 0;
  return { work, isCounted, openInMs, free: isCounted ? ifOpened : reposted, ifOpened };
}

export function notBefore(arrivals: readonly Arrival[], atMs: number): readonly Arrival[] {
  return arrivals.map(({ inMs, count }) => ({ inMs: Math.max(inMs, atMs), count }));
}

/** All but the first so many. */
function without(arrivals: readonly Arrival[], count: number): readonly Arrival[] {
  let left = count;
  return arrivals.flatMap((one) => {
    const taken = Math.min(left, one.count);
    left -= taken;
    return taken === one.count ? [] : [{ ...one, count: one.count - taken }];
  });
}
