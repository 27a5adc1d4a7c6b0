import type { Clock } from "../../../ports/clock.ts";

/**
 * Answers whether less than this has passed since now, by both clocks: the monotonic one may stand still while the machine sleeps or
 * is paused, the wall clock may be set back. One that is set forward costs a POST, which is made again later.
 */
export function startSendDeadline(clock: Pick<Clock, "now" | "monotonic">, forMs: number): () => boolean {
  const monotonicAt = clock.monotonic();
  const wallAt = clock.now();
  return () => clock.monotonic() - monotonicAt < forMs && clock.now() - wallAt < forMs;
}
