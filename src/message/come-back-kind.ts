/**
 * How a redriven message failed again. `down`: nobody answered, or only that it cannot be done now: what an
 * outage looks like.
 * `refused`: the receiver is up and says no to this message. docs/lanes.md says what follows from each.
 */
export type ComeBackKind = "down" | "refused";

/** The part of a lineage that shows a message refused, redriven, and refused again. */
interface Redriven {
  readonly attempt: number;
  readonly statusBefore: number | null;
}

/** Request timeout, too early, too many requests: each asks for another time, none is about the message. */
const notNow: ReadonlySet<number> = new Set([408, 425, 429]);

/** By the status of the last answer; 0 or absent: there was none. */
export function comeBackKindOf(status: number | undefined): ComeBackKind {
  if (status === undefined || status === 0 || notNow.has(status)) return "down";
  return status >= 500 && status <= 599 ? "down" : "refused";
}

/**
 * Whether this message was redriven although its receiver had refused it after a redrive before. Such a
 * message is known to be bad. It proves nothing about its receiver but that it answers.
 */
export function isKnownBad({ attempt, statusBefore }: Redriven): boolean {
  return attempt > 1 && statusBefore !== null && comeBackKindOf(statusBefore) === "refused";
}
