/** What other drains know of destinations: their lanes that are halted, or wait for what they have sent. */
import type { LaneView, Origin } from "../../job/contracts/lanes.ts";
import type { Core, DrainRuntime } from "../../job/door.ts";
import { groupBy } from "../../group-items-by-key.ts";
import { toLaneId } from "../../job/message/short-id.ts";

/** `since`: Redis time, Unix ms. */
export type OtherLane = Pick<LaneView, "drain" | "origin" | "state" | "since" | "why">;

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
      found.push(
        ...waiting.map(({ drain, origin, state, since, why }) => ({ drain, origin, state, since, why })),
      );
    }
  }
  return found.toSorted((a, b) => Number(b.state === "halted") - Number(a.state === "halted"));
}
