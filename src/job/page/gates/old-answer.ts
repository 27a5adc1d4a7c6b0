/**
 * A rate may be ahead by this much: a move puts off the next grants by the age of the grant, and a busy machine
 * would not use up its rate. On an idle one a batch leaves within about 100 ms.
 */
const maxAgeMs = 500;

/** True if what Redis has answered may have changed. Both by clock.monotonic(). */
export function isOldAnswer(answeredAt: number, now: number): boolean {
  return now - answeredAt > maxAgeMs;
}
