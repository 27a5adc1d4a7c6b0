import type { DrainName } from "../../ports/ids.ts";
import type { DrainRuntime, SourceRuntime } from "../runtime.ts";

/** Whether a drain of this source tries its destinations by lanes; where none does, nobody asks for them. */
export function hasLanes(drains: ReadonlyMap<DrainName, DrainRuntime>, source: SourceRuntime): boolean {
  return [...drains.values()].some((drain) => drain.source === source && drain.config.lane !== undefined);
}
