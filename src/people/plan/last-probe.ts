import type { LaneView } from "../../job/contracts/lanes.ts";

/** Redis time, Unix ms. Null: it is not halted, or no probe was sent since it halted. */
export function lastProbeAtOf({
  state,
  since,
  lastUsedAt,
}: Pick<LaneView, "state" | "since" | "lastUsedAt">): number | null {
  return state === "halted" && lastUsedAt > since ? lastUsedAt : null;
}
