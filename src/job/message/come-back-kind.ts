/**
 * How a redriven message failed again. `down`: nobody answered, or the answer was only "not now", as in an outage.
 * `refused`: the receiver is up and refuses this message. docs/internals/lanes-in-detail.md has what follows from each.
 */
export type ComeBackKind = "down" | "refused";

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

/** Refused again after a redrive: it is known to be bad, and only proves that its receiver answers. */
export function isKnownBad({ attempt, statusBefore }: Redriven): boolean {
  return attempt > 1 && statusBefore !== null && comeBackKindOf(statusBefore) === "refused";
}
