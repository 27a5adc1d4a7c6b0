import type { Clock } from "../../contracts/clock.ts";

/**
 * Starts a deadline. The answer is true while less than `forMs` has passed by both clocks: the monotonic
 * clock may stand still while the machine sleeps, and the wall clock may be set back. A wall clock set
 * forward costs one POST, which is made later.
 */
export function startSendDeadline(clock: Pick<Clock, "now" | "monotonic">, forMs: number): () => boolean {
  const monotonicAt = clock.monotonic();
  const wallAt = clock.now();
  return () => clock.monotonic() - monotonicAt < forMs && clock.now() - wallAt < forMs;
}
