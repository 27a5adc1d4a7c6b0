/** What other drains know of destinations: their lanes that are halted, or wait for what they have sent. */
import type { LaneState, Origin } from "../../job/contracts/lanes.ts";
import type { DrainName } from "../../job/contracts/ids.ts";
import type { Core, DrainRuntime } from "../../job/door.ts";
import { groupBy } from "../../group-items-by-key.ts";
import { toLaneId } from "../../job/message/short-id.ts";

export interface OtherLane {
  readonly drain: DrainName;
  readonly origin: Origin;
  readonly state: LaneState;
  /** Redis time, Unix ms. */
  readonly since: number;
  readonly why: string;
}

const lanesPerCall = 100;

/** Halted ones first. Throws `redis-unavailable`. */
export async function readOtherLanes(
  { drains }: Pick<Core, "drains">,
  { config: { name: own } }: DrainRuntime,
  origins: readonly Origin[],
): Promise<readonly OtherLane[]> {
  const others = [...drains.values()].filter(
    ({ config }) => config.name !== own && config.lane !== undefined,
  );
  const found: OtherLane[] = [];
  for (const [source, some] of groupBy(others, (one) => one.source)) {
    const ids = some.flatMap(({ config }) => origins.map((origin) => toLaneId(config.name, origin)));
    for (let from = 0; from < ids.length; from += lanesPerCall) {
      const views = await source.lanes.viewsOf(ids.slice(from, from + lanesPerCall));
      const waiting = views.filter(({ state, sent }) => state === "halted" || (state !== "open" && sent > 0));
      for (const { drain, origin, state, since, why } of waiting) {
        found.push({ drain, origin, state, since, why });
      }
    }
  }
  return found.toSorted((a, b) => Number(b.state === "halted") - Number(a.state === "halted"));
}
