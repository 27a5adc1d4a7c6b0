import { formatDuration } from "../../../job/rules/durations.ts";
import { resolvedAfterMs } from "../../../job/contracts/failures.ts";
import type { FailureView } from "../../read/failure-views.ts";
import { number, toOwnersText } from "../phrases.ts";

/** `(as 503)`, `(3 as 500, 1 as no answer)`; empty if all are of the same kind again. */
export function toAsText({
  failedAgain,
  failedAgainAs,
}: Pick<FailureView, "failedAgain" | "failedAgainAs">): string {
  if (failedAgainAs.length === 0) return "";
  const words = failedAgainAs.map(({ status, count }) => {
    const answer = `as ${status ?? "no answer"}`;
    return count === failedAgain ? answer : `${number(count)} ${answer}`;
  });
  return `(${words.join(", ")})`;
}

/** Behind what it was quiet until; empty if it still is. */
export function toQuietEnd({ quiet, quietEnded, largestHour }: FailureView): string {
  if (quietEnded === null) return "";
  if (quietEnded === "rules") return "; over: its rules decide otherwise now";
  if (quietEnded !== "arrivals") return "; over";
  return `; over: ${largestHour} arrived in an hour, at most ${quiet?.largestHour ?? 0} before`;
}

/** `acknowledged: priya works on it since 09:12 UTC`. */
export function toStateText({ state, owner }: FailureView, now: number): string {
  if (state === "resolved")
    return `resolved: none is there, came or went for ${formatDuration(resolvedAfterMs)}`;
  return `${state}: ${toOwnersText(owner === null ? [] : [owner], now) || "nobody works on it"}`;
}
