/** In the last ten minutes of a UTC day an apply waits for the next one, where a day's ceiling holds what is left. */
export function isDayEnding(now = Date.now()): boolean {
  const dayMs = 86_400_000;
  return now % dayMs > dayMs - 11 * 60_000;
}
