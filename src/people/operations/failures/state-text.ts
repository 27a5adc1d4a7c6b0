import { formatDuration } from "../../../job/rules/durations.ts";
import { resolvedAfterMs } from "../../../job/contracts/failures.ts";
import type { FailureView } from "../../read/failure-views.ts";
import { toOwnersText } from "../phrases.ts";

/** `acknowledged: priya works on it since 09:12 UTC`. */
export function toStateText({ state, owner }: FailureView, now: number): string {
  if (state === "resolved")
    return `resolved: none is there, came or went for ${formatDuration(resolvedAfterMs)}`;
  return `${state}: ${toOwnersText(owner === null ? [] : [owner], now) || "nobody works on it"}`;
}
