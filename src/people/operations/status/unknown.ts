import { sumOf, toTotals } from "../../read/totals.ts";
import { number, toClock } from "../phrases.ts";
import type { Status } from "./read.ts";

export function hasNeverPassed({
  lastSuccessAt,
  openPass,
}: Pick<Status["drains"][number], "lastSuccessAt" | "openPass">): boolean {
  return !lastSuccessAt && !openPass;
}

/** Nothing that waits is known: why that does not say that nothing waits. Empty: all was listed lately, or some waits. */
export function toUnknown(status: Status): string {
  const { drains, sources, at } = status;
  const { waiting, parked, wouldBeParked } = toTotals(status);
  if (waiting > 0) return "";
  if (drains.every(hasNeverPassed)) return "starting: no pass has ended yet";
  const lastAt = sources.flatMap(({ listed }) => (listed.isLate ? (listed.at ?? []) : []));
  if (lastAt.length > 0) {
    return `nothing known waits: not all was listed since ${toClock(Math.min(...lastAt), at)}`;
  }
  if ([...drains, ...sources.map(({ depth }) => depth)].some((one) => one?.stillCounting !== false)) {
    return "counting: nothing found yet";
  }
  if (drains.some((drain) => drain.mayHaveSkipped === true)) {
    return "nothing known waits: the next full pass confirms it";
  }
  const inQueue = sumOf(sources, ({ depth, census, pendingDelete = 0 }) => {
    return (depth?.count ?? 0) - (census?.unselected ?? 0) - pendingDelete;
  });
  const unlisted = inQueue - parked - wouldBeParked;
  return unlisted > 0 ? `nothing known waits: ${number(unlisted)} in the queue are not listed yet` : "";
}
