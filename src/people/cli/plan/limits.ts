/** What limits a plan besides its records, in words: the clocks, closed guards, ceilings and lanes. */
import type { FrozenRange } from "../../../job/door.ts";
import { formatDuration } from "../../../job/rules/durations.ts";
import { toDestinationText } from "../../operations/destination-text.ts";
import { toNextStepText } from "../../operations/lane-words.ts";
import { counted, joined, present } from "../../operations/phrases.ts";
import type { Estimate } from "../../plan/estimate.ts";
import type { ClosedGuard, Room } from "../../plan/guards-and-ceilings.ts";
import type { LaneWaits } from "../../plan/lane-waits.ts";

/** Clocks that differ by less concern nobody. */
const shownFromMs = 60_000;

export function toClock({ serviceAheadMs, unseenMs }: FrozenRange["clock"]): string {
  if (Math.abs(serviceAheadMs) < shownFromMs) return "";
  const isBehind = serviceAheadMs < 0;
  const where = `${formatDuration(Math.abs(serviceAheadMs))} ${isBehind ? "behind" : "ahead of"}`;
  return joined(
    `the service's is ${where} this machine's; ages go by the service's`,
    !isBehind && "; a pass gets to what has just entered so much later",
    unseenMs > 0 && `; what entered in the last ${formatDuration(unseenMs)} is left out`,
  );
}

export function toGuards(guards: readonly ClosedGuard[]): string {
  const texts = guards.map(({ index, field, why, value, holdsAt, resumesAt }) => {
    const isRead = why === "reading";
    const reading = isRead ? `${field} is ${value} (` : `no fresh reading of ${field} (whenStale: hold; `;
    return `closed, so nothing new is published: index ${index}, ${reading}holds ${holdsAt}, resumes ${resumesAt})`;
  });
  return texts.join("\n");
}

export function toCeilings({ perDay, perPass }: Room, { passes, days }: Pick<Estimate, "passes" | "days">) {
  const used = perPass?.usedByOpenPass ?? null;
  return {
    perPass: present([
      passes > 1 && `a drain left to itself needs ${passes} passes or more`,
      used !== null && `the open pass has used ${used} of ${perPass?.limit}`,
    ]),
    perDay: present([
      perDay && `${perDay.used} of ${perDay.limit} used today (UTC)`,
      perDay &&
        (perDay.left > 0 ? `${perDay.left} left` : `nothing left for ${formatDuration(perDay.endsInMs)}`),
      perDay && days > 1 && `spread over ${days} days or more`,
    ]),
  };
}

export function toLaneRows({ lanes, more }: LaneWaits): readonly object[] {
  return [
    ...lanes.map(({ due, kept, sinceMs, why, ...lane }) => ({
      lane: toDestinationText(lane.origin),
      due,
      state: sinceMs === null ? "new" : `${lane.state} for ${formatDuration(sinceMs)}`,
      next: lane.state === "open" ? "" : toNextStepText(lane),
      why: why === "new" ? "" : why,
      "held, not parked": kept > 0 ? `${kept} without attempts left` : "",
    })),
    ...(more.lanes > 0 ? [{ lane: counted(more.lanes, "more lane"), due: more.due }] : []),
  ];
}
