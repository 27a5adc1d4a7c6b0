/** What limits a plan besides its records: the clocks, closed guards and ceilings. */
import type { Estimate } from "../../plan/estimate.ts";
import type { ClosedGuard, Room } from "../../plan/guards-and-ceilings.ts";
import type { FrozenRange } from "../../../job/door.ts";
import { formatDuration } from "../../../job/rules/durations.ts";
import { joined } from "../../operations/phrases.ts";
import { wrapList, wrapWords } from "../output/wrap.ts";

/** Clocks that differ by less concern nobody. */
const shownFromMs = 60_000;

export function toClockText(columns: number, { serviceAheadMs, unseenMs }: FrozenRange["clock"]): string {
  if (Math.abs(serviceAheadMs) < shownFromMs) return "";
  const isBehind = serviceAheadMs < 0;
  const where = `${formatDuration(Math.abs(serviceAheadMs))} ${isBehind ? "behind" : "ahead of"}`;
  const text = joined(
    `the service's is ${where} this machine's; ages go by the service's`,
    !isBehind && "; a pass gets to what has just entered so much later",
    unseenMs > 0 && `; what entered in the last ${formatDuration(unseenMs)} is left out`,
  );
  return wrapWords(columns, 2, "clock     ", text);
}

export function toGuardText(columns: number, guards: readonly ClosedGuard[]): string {
  const texts = guards.map(({ index, field, why, value, holdsAt, resumesAt }) => {
    const thresholds = `holds ${holdsAt}, resumes ${resumesAt}`;
    const reading =
      why === "reading"
        ? `${field} is ${value} (${thresholds})`
        : `no fresh reading of ${field} (whenStale: hold; ${thresholds})`;
    return `closed, so nothing new is published: index ${index}, ${reading}`;
  });
  return joined(...texts.map((text) => wrapWords(columns, 2, "guard     ", text)));
}

export function toCeilingText(
  columns: number,
  { perDay, perPass }: Room,
  { passes, days }: Pick<Estimate, "passes" | "days">,
): string {
  const used = perPass?.usedByOpenPass ?? null;
  const pass = [
    passes > 1 && `a drain left to itself needs ${passes} passes or more`,
    used !== null && `the open pass has used ${used} of ${perPass?.limit}`,
  ];
  const day = perDay !== null && [
    `${perDay.used} of ${perDay.limit} used today (UTC)`,
    perDay.left === 0 ? `nothing left for ${formatDuration(perDay.endsInMs)}` : `${perDay.left} left`,
    days > 1 && `spread over ${days} days or more`,
  ];
  return wrapList(columns, 4, "perPass", pass) + wrapList(columns, 4, "perDay", day || []);
}
