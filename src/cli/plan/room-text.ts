/** What of a plan hangs on clocks, guards and ceilings rather than on records. */
import type { Estimate } from "../../redrive/plan/estimate.ts";
import type { ClosedGuard, Room } from "../../redrive/plan/room.ts";
import type { PlanClock } from "../../redrive/plan/survey.ts";
import { formatDuration } from "../../rules/durations.ts";
import { wrapList, wrapWords } from "../output/wrap.ts";

/** Clocks that differ by less concern nobody. */
const toldFromMs = 60_000;

export function toClockText(columns: number, { serviceAheadMs, unseenMs }: PlanClock): string {
  if (Math.abs(serviceAheadMs) < toldFromMs) return "";
  const apart = formatDuration(Math.abs(serviceAheadMs));
  const tail = serviceAheadMs < 0 ? "" : "; a pass gets to what has just entered so much later";
  const unseen = unseenMs === 0 ? "" : `; what entered in the last ${formatDuration(unseenMs)} is left out`;
  return wrapWords(
    columns,
    2,
    "clock     ",
    `the service's is ${apart} ${serviceAheadMs < 0 ? "behind" : "ahead of"} this machine's; ages go by the service's${tail}${unseen}`,
  );
}

export function toGuardText(columns: number, guards: readonly ClosedGuard[]): string {
  return guards
    .map((guard) =>
      wrapWords(columns, 2, "guard     ", `closed, so nothing new is published: ${toWhy(guard)}`),
    )
    .join("");
}

function toWhy({ index, field, why, value, holdsAt, resumesAt }: ClosedGuard): string {
  const thresholds = `holds ${holdsAt}, resumes ${resumesAt}`;
  switch (why) {
    case "reading":
      return `index ${index}, ${field} is ${value} (${thresholds})`;
    case "stale":
      return `index ${index}, no fresh reading of ${field} (whenStale: hold; ${thresholds})`;
  }
}

export function toCeilingText(
  columns: number,
  { perDay, perPass }: Room,
  { passes, days }: Estimate,
): string {
  const pass = [
    ...(passes > 1 ? [`a drain left to itself needs ${passes} passes`] : []),
    ...(perPass === null || perPass.usedByOpenPass === null
      ? []
      : [`the open pass has used ${perPass.usedByOpenPass} of ${perPass.limit}`]),
  ];
  const day =
    perDay === null
      ? []
      : [
          `${perDay.used} of ${perDay.limit} used today (UTC)`,
          perDay.left === 0 ? `nothing left for ${formatDuration(perDay.endsInMs)}` : `${perDay.left} left`,
          ...(days > 1 ? [`spread over ${days} days`] : []),
        ];
  return wrapList(columns, 4, "perPass", pass) + wrapList(columns, 4, "perDay", day);
}
