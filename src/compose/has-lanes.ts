import type { SourceRuntime } from "../redrive/runtime.ts";
import type { Core } from "./build-core.ts";

/** Whether a drain of this source tries its destinations by lanes; where none does, nobody asks for them. */
export function hasLanes({ drains }: Pick<Core, "drains">, source: SourceRuntime): boolean {
  return [...drains.values()].some((drain) => drain.source === source && drain.config.lane !== undefined);
}
