/**
 * When a cron pattern runs next, where clocks are put forward and back. cron-parser, as BullMQ asks it, leaves out
 * a whole day whose midnight does not exist. So it is asked in UTC, for the time on the wall, and that is found
 * in the zone here:
 *
 *   each hour (*)   goes on by real time: nothing is left out, and nothing is made up
 *   other hours     a time that does not exist runs at the first minute that does
 *                   a time that comes twice runs at its first coming
 */
import type { RepeatStrategy } from "bullmq";
import { CronExpressionParser } from "cron-parser";

/** For queues and workers of BullMQ: both make iterations. A pattern that never comes true has none. */
export const repeatStrategy: RepeatStrategy = (after, { pattern, tz = "UTC" }) => {
  if (pattern === undefined) return undefined;
  try {
    return nextCronRun(pattern, tz, after);
  } catch {
    return undefined;
  }
};

/** The first run after `after`, Unix ms. Throws if the pattern never comes true. */
export function nextCronRun(pattern: string, timezone: string, after: number): number {
  const offsetAt = offsets(timezone);
  const runsBehind = (wall: number) =>
    CronExpressionParser.parse(pattern, { currentDate: new Date(wall), tz: "UTC" });
  const runs = runsBehind(after + offsetAt(after));
  if (runs.fields.hour.values.length === 24) {
    return nextByRealTime((wall) => runsBehind(wall).next().getTime(), after, offsetAt);
  }
  for (;;) {
    const at = toInstant(runs.next().getTime(), offsetAt);
    // What was made up for, or has come once already.
    if (at > after) return at;
  }
}

type OffsetAt = (at: number) => number;

/** From one change of the clock to the next, each with its own offset. */
function nextByRealTime(nextWall: (wall: number) => number, after: number, offsetAt: OffsetAt): number {
  for (let from = after; ;) {
    const offset = offsetAt(from + 1);
    const at = nextWall(from + offset) - offset;
    let sameUntil = from + 1;
    let next = sameUntil;
    while (next < at && offsetAt(next) === offset) {
      sameUntil = next;
      next = Math.min(at, next + stepMs);
    }
    if (offsetAt(next) === offset) return at;
    from = findChange(sameUntil, next, offsetAt) - 1;
  }
}

/** No zone changes its clock and changes it back within this. */
const stepMs = 12 * 3_600_000;

/** Longer than any change, of which the longest left out a day, and shorter than the time between two. */
const aroundMs = 36 * 3_600_000;

/** `wall`: a time of the zone, as if it were UTC. */
function toInstant(wall: number, offsetAt: OffsetAt): number {
  const before = offsetAt(wall - aroundMs);
  // Before a change back both fit, and the first is that of the earlier offset.
  for (const offset of [before, offsetAt(wall + aroundMs)]) {
    if (offsetAt(wall - offset) === offset) return wall - offset;
  }
  return findChange(wall - aroundMs, wall + aroundMs, offsetAt);
}

/** The first time of another offset than that of `from`; `to` has another. */
function findChange(from: number, to: number, offsetAt: OffsetAt): number {
  const before = offsetAt(from);
  let [low, high] = [from, to];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(middle) === before) low = middle;
    else high = middle;
  }
  return high;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** How far a zone's clock is ahead of UTC at a time, ms. */
function offsets(timezone: string): OffsetAt {
  const format =
    formats.get(timezone) ??
    new Intl.DateTimeFormat("en-US", {
      timeZone: timezone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
  formats.set(timezone, format);
  return (at) => {
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
    const of = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
    const wall = Date.UTC(of("year"), of("month") - 1, of("day"), of("hour"), of("minute"), of("second"));
    return wall - Math.floor(at / 1_000) * 1_000;
  };
}
