import type { DrainName } from "../../ports/ids.ts";
import type { DrainRuntime, SourceRuntime } from "../runtime.ts";

/** True if a drain of this source tries its destinations by lanes. Otherwise nobody asks for lanes. */
export function hasLanes(drains: ReadonlyMap<DrainName, DrainRuntime>, source: SourceRuntime): boolean {
  return [...drains.values()].some((drain) => drain.source === source && drain.config.lane !== undefined);
}
