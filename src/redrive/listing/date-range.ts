/** Inclusive, Unix ms, by the service's dates. An absent end is open. */
export interface DateRange {
  readonly fromDate?: number;
  readonly toDate?: number;
}

export function isMoment({ fromDate, toDate }: DateRange): boolean {
  return fromDate !== undefined && fromDate === toDate;
}

/** Cuts a range into disjoint parts that cover it. Each of these moments within it becomes a part of its own. */
export function cutAround(range: DateRange, moments: readonly number[]): readonly DateRange[] {
  const parts: DateRange[] = [];
  let rest: DateRange | null = range;
  for (const at of moments) {
    if (rest === null) break;
    if (rest.fromDate !== at) parts.push({ ...rest, toDate: at - 1 });
    parts.push({ fromDate: at, toDate: at });
    rest = rest.toDate === at ? null : { ...rest, fromDate: at + 1 };
  }
  return rest === null ? parts : [...parts, rest];
}
