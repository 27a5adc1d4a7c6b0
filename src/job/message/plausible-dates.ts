import type { DeadLetter } from "./dead-letter.ts";

/** 2015-01-01, before the service existed. Seconds that are read as milliseconds are in 1970. */
export const firstPlausibleAt = Date.UTC(2015, 0, 1);
/** Clocks of the service's own machines differ by less. */
const skewMs = 3_600_000;
/** 366 d: no plan of the service delays a message for longer. */
const maxDelayMs = 366 * 86_400_000;

export function lastPlausibleAt(enteredAt: number): number {
  return enteredAt + skewMs;
}

/** False for seconds, zero, and a message that was created after it had died. */
export function isPlausibleCreation(createdAt: number, enteredAt: number): boolean {
  return createdAt >= firstPlausibleAt && createdAt <= lastPlausibleAt(enteredAt);
}

export function isPlausibleDelay(notBefore: number, enteredAt: number): boolean {
  return notBefore >= firstPlausibleAt && notBefore <= enteredAt + maxDelayMs;
}

/** Both moments must be this far apart, so that the service's rounding cannot merge them. */
export const apartMs = 1_000;

/** True if it entered the DLQ when it was created. Then the meaning of dates cannot be learned from it. */
export function letterDatesAgree({
  enteredAt,
  createdAt,
}: Pick<DeadLetter, "enteredAt" | "createdAt">): boolean {
  return Math.abs(enteredAt - createdAt) < apartMs;
}
