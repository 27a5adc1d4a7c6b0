import type { Clock } from "../../contracts/clock.ts";

/** By both clocks: the monotonic one may stand still while the machine sleeps, and the wall clock may be set back. */
export function startSendDeadline(clock: Pick<Clock, "now" | "monotonic">, forMs: number): () => boolean {
  const monotonicAt = clock.monotonic();
  const wallAt = clock.now();
  return () => clock.monotonic() - monotonicAt < forMs && clock.now() - wallAt < forMs;
}
