import { toLaneId } from "../../redrive/lanes/lane-id.ts";
import type { Core } from "../../compose/build-core.ts";
import type { DrainName } from "../../ports/ids.ts";
import { lateCheckMs, type LanesCounted, type LaneView } from "../../ports/lanes.ts";

/** A lane with when it can go on. */
export interface LaneStatus extends LaneView {
  /** Milliseconds until its step has room or is judged, or its probe is due; 0: now; null: it is open and not held, or its drain is no more. */
  readonly nextInMs: number | null;
  /** Its time is over, and the look that says how it went is still to come: `nextInMs` is when that is due at the latest. */
  readonly awaitsLook: boolean;
}

/** The lanes of one source. */
export interface LanesStatus extends Pick<LanesCounted, "counts"> {
  /** Those that are told one by one, in their order. */
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
    const asks = lanes
      .filter(({ drain: of }) => of === name)
      .map(({ origin }) => ({ lane: toLaneId(name, origin), origin, wanted: 0, resumeMinutes: [] }));
    const { answers, at } = await drain.source.lanes.ask(name, drain.config.lane, asks);
    return asks.map(({ lane }, index) => {
      const until = answers[index]?.until ?? null;
      return [lane, until === null ? null : Math.max(0, until - at)] as const;
    });
  }
}
