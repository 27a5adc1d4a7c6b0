/** Records are found again by the minute in which they entered: one list call finds all of them, and an index by record would grow with the backlog. */
export const minuteMs = 60_000;
/** More windows than this cost more calls than listing everything between them. */
export const maxDueWindows = 50;

/** Per minute of entry, its start and the earliest time at which something in it becomes due. Unix ms. */
export function toDueMinutes(
  dueLater: readonly { readonly enteredAt: number; readonly dueAt: number }[],
): readonly { readonly minute: number; readonly dueAt: number }[] {
  const minutes = new Map<number, number>();
  for (const { enteredAt, dueAt } of dueLater) {
    const minute = Math.floor(enteredAt / minuteMs) * minuteMs;
    minutes.set(minute, Math.min(dueAt, minutes.get(minute) ?? dueAt));
  }
  return [...minutes].map(([minute, dueAt]) => ({ minute, dueAt }));
}

/** Minutes before `from`, ascending → the fewest disjoint ranges, one spanning range when they are too many. */
export function toDueRanges(
  minutes: readonly number[],
  from: number,
): readonly { readonly from: number; readonly to: number }[] {
  const ranges: { from: number; to: number }[] = [];
  for (const minute of minutes.filter((minute) => minute < from)) {
    const to = Math.min(minute + minuteMs - 1, from - 1);
    const previous = ranges.at(-1);
    if (previous !== undefined && previous.to + 1 === minute) previous.to = to;
    else ranges.push({ from: minute, to });
  }
  const first = ranges[0];
  const last = ranges.at(-1);
  if (ranges.length <= maxDueWindows || first === undefined || last === undefined) return ranges;
  return [{ from: first.from, to: last.to }];
}
