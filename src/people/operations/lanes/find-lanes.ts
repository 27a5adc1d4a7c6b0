import { namesOfOrigin, type DestinationName } from "../../../job/message/destination-names.ts";
import type { DrainName } from "../../../job/contracts/ids.ts";
import { laneStates, type LaneView } from "../../../job/contracts/lanes.ts";
import type { SourceRuntime } from "../../../job/door.ts";

/** Lanes of one call. Each is read and decoded by Redis. */
const perCall = 100;

/**
 * All lanes of a source: halted ones first, then in the order of `laneStates`, of each the last used first. A
 * lane that moves meanwhile may come twice or not at all. Throws `redis-unavailable`.
 */
export async function* allLanes({
  lanes,
}: Pick<SourceRuntime, "lanes">): AsyncGenerator<readonly LaneView[]> {
  for (const state of laneStates) {
    for (let skip = 0; ; skip += perCall) {
      const views = await lanes.viewsIn(state, skip, perCall);
      // Fewer than asked for may be lanes that were forgotten a moment ago.
      if (views.length === 0) break;
      yield views;
    }
  }
}

/** The lanes of a destination, each once. `drain`: only this one's. Throws `redis-unavailable`. */
export async function findLanes(
  source: Pick<SourceRuntime, "lanes">,
  host: DestinationName,
  drain: DrainName | undefined,
): Promise<readonly LaneView[]> {
  const found = new Map<string, LaneView>();
  for await (const views of allLanes(source)) {
    for (const view of views) {
      const isOfDrain = drain === undefined || view.drain === drain;
      if (isOfDrain && namesOfOrigin(view.origin).includes(host)) found.set(view.lane, view);
    }
  }
  return [...found.values()];
}
