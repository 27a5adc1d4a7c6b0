const dayMs = 86_400_000;
/** So long an apply waits (`maxWaitMs` in src/people/plan/apply.ts), and a minute for the test. */
const waitedMs = 11 * 60_000;

/**
 * For a test of what an apply leaves to a day's ceiling: close to the end of a UTC day it waits for the next
 * one.
 */
export function skipAsDayEnds(skip: (condition: boolean, note: string) => void): void {
  const isDayEnding = Date.now() % dayMs > dayMs - waitedMs;
  skip(isDayEnding, "a day's ceiling is waited for in the last minutes of a UTC day: not tried now");
}
