export interface SearchWindow {
  readonly from: number;
  readonly to: number;
}

/** Ids that entered within this of each other share the first listing. */
const joinWithinMs = 60_000;
/** Pages of one listing. A window that needs more is cut, so that a failure costs at most this many. */
export const pagesPerWindow = 8;

/** Windows around these times, oldest first. Each costs one listing if its records are gone, as they mostly are. */
export function joinTimes(times: readonly number[], withinMs = joinWithinMs): readonly SearchWindow[] {
  const windows: { from: number; to: number }[] = [];
  for (const time of times.toSorted((one, other) => one - other)) {
    const last = windows.at(-1);
    if (last !== undefined && time - last.to <= withinMs) last.to = time;
    else windows.push({ from: time, to: time });
  }
  return windows;
}

/**
 * The windows to list instead of the rest of one whose first page was full. Null: continue by the cursor.
 *
 * A page spans `span` ms at its densest, so a listing of `n` ms costs 1 + n / span calls. Parts farther apart than
 * a span cost less alone than together. A part that needs too many pages is cut by time.
 */
export function cutWindow(
  { from, to }: SearchWindow,
  times: readonly number[],
  listed: readonly number[],
): readonly SearchWindow[] | null {
  const span = spanOf(listed);
  // A page without order does not show how dense the records are.
  if (span === null) return null;
  const parts = joinTimes(times, span).flatMap((part) => shorten(part, times, span * pagesPerWindow));
  const costs = parts.map((part) => 1 + Math.floor((part.to - part.from) / span));
  const calls = costs.reduce((sum, cost) => sum + cost, 0);
  const rest = Math.ceil((to - from) / span) - 1;
  return rest < calls && rest < pagesPerWindow ? null : parts;
}

/** Two windows with half the times each, for one that did not end within its pages; null: all are equal. */
export function halve(times: readonly number[]): readonly SearchWindow[] | null {
  const sorted = times.toSorted((one, other) => one - other);
  const [first] = sorted;
  const last = sorted.at(-1);
  if (first === undefined || last === undefined || first === last) return null;
  const middle = first + Math.floor((last - first) / 2);
  return [sorted.filter((time) => time <= middle), sorted.filter((time) => time > middle)].flatMap((half) =>
    joinTimes(half, Infinity),
  );
}

function shorten(part: SearchWindow, times: readonly number[], longestMs: number): readonly SearchWindow[] {
  if (part.to - part.from <= longestMs) return [part];
  const within = times.filter((time) => time >= part.from && time <= part.to);
  return (halve(within) ?? []).flatMap((half) => shorten(half, times, longestMs));
}

/** The time span of a page that is in ascending or descending order, at least 1 ms; null without order. */
export function spanOf(listed: readonly number[]): number | null {
  if (listed.length === 0 || orderOf(listed) === null) return null;
  return Math.max(1, Math.abs(listed.at(-1)! - listed[0]!));
}

/** 1: ascending. -1: descending. 0: all equal. null: in no order. */
export function orderOf(dates: readonly number[]): number | null {
  let order = 0;
  for (let i = 1; i < dates.length; i += 1) {
    const step = Math.sign((dates[i] ?? 0) - (dates[i - 1] ?? 0));
    if (step * order < 0) return null;
    order ||= step;
  }
  return order;
}
