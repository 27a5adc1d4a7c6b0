import type { Core } from "../../compose/build-core.ts";
import type { DrainName } from "../../ports/ids.ts";
import { lateCheckMs, type LanesCounted, type LaneView } from "../../ports/lanes.ts";
import { peekLanes } from "../../redrive/lanes/peek-lanes.ts";

/** A lane with when it can go on. */
export interface LaneStatus extends LaneView {
  /** As `PeekedLane` has it; null also if its drain is not in the document any more. */
  readonly nextInMs: number | null;
  /** Its time is over, and a listing check that judges it is still to come, within `nextInMs`. */
  readonly awaitsLook: boolean;
}

/** The lanes of one source. */
export interface LanesStatus extends Pick<LanesCounted, "counts"> {
  /** Those that are shown one by one, in their order. */
  readonly told: readonly LaneStatus[];
}

/** Asks the lanes of each drain with nothing wanted, which changes nothing. Throws `redis-unavailable`. */
export async function readLaneNext(
  { drains }: Pick<Core, "drains">,
  { lanes, counts }: LanesCounted,
): Promise<LanesStatus> {
  const names = [...new Set(lanes.map(({ drain }) => drain))];
  const next = new Map((await Promise.all(names.map((name) => ofDrain(name)))).flat());
  return {
    counts,
    told: lanes.map((lane) => {
      const nextInMs = next.get(lane.lane) ?? null;
      return { ...lane, nextInMs, awaitsLook: nextInMs === lateCheckMs };
    }),
  };

  async function ofDrain(name: DrainName): Promise<readonly (readonly [string, number | null])[]> {
    const drain = drains.get(name);
    if (drain?.config.lane === undefined) return [];
    const origins = lanes.filter((lane) => lane.drain === name).map(({ origin }) => origin);
    const peeked = await peekLanes(drain, drain.config.lane, origins);
    return peeked.map(({ lane, nextInMs }) => [lane, nextInMs] as const);
  }
}
