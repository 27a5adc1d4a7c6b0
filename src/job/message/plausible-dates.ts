/** 2015-01-01, before the service existed. Seconds that are read as milliseconds are in 1970. */
export const firstPlausibleAt = Date.UTC(2015, 0, 1);
/** Clocks of the service's own machines differ by less. */
const skewMs = 3_600_000;
/** 366 d: no plan of the service delays a message for longer. */
const maxDelayMs = 366 * 86_400_000;

/** The last moment at which a message can have been created that entered the DLQ then. Unix ms. */
export function lastPlausibleAt(enteredAt: number): number {
  return enteredAt + skewMs;
}

/** False for seconds, zero, and a message that was created after it had died. */
export function isPlausibleCreation(createdAt: number, enteredAt: number): boolean {
  return createdAt >= firstPlausibleAt && createdAt <= lastPlausibleAt(enteredAt);
}

/** True if a message that entered the DLQ then may have been delayed until this moment (Unix ms). */
export function isPlausibleDelay(notBefore: number, enteredAt: number): boolean {
  return notBefore >= firstPlausibleAt && notBefore <= enteredAt + maxDelayMs;
}
