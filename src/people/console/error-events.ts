/** Errors of pages, acts and live sections as events: at most one a minute of a place and code. */
import { isRedriverError, toFailure } from "../../job/contracts/errors.ts";
import type { Events } from "../../job/contracts/events.ts";

const everyMs = 60_000;

/** `place`: a pattern of a path, never a path: there are only so many. */
export type ReportError = (place: string, error: unknown) => void;

export function createErrorEvents(events: Events, now: () => number): ReportError {
  const reportedAt = new Map<string, number>();
  return (place, error) => {
    // The person who asked has the answer.
    if (isRedriverError(error) && error.code === "command-misused") return;
    const failure = toFailure(error);
    const key = `${place} ${failure.code}`;
    const age = now() - (reportedAt.get(key) ?? -Infinity);
    if (age >= 0 && age < everyMs) return;
    reportedAt.set(key, now());
    events.emit({ type: "console:page-failed", place, ...failure });
  };
}
