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

/** `acknowledged: priya works on it since 09:12 UTC`. */
export function toStateText({ state, owner }: FailureView, now: number): string {
  if (state === "resolved")
    return `resolved: none is there, came or went for ${formatDuration(resolvedAfterMs)}`;
  return `${state}: ${toOwnersText(owner === null ? [] : [owner], now) || "nobody works on it"}`;
}
