/** What of a plan hangs on clocks, guards, ceilings and lanes rather than on records. */
import type { Estimate } from "../../redrive/plan/estimate.ts";
import type { LaneWait, LaneWaits } from "../../redrive/plan/lane-waits.ts";
import type { ClosedGuard, Room } from "../../redrive/plan/room.ts";
import type { PlanClock } from "../../redrive/plan/survey.ts";
import { formatDuration } from "../../rules/durations.ts";
import { counted, joined } from "../output/words.ts";
import { wrapList, wrapWords } from "../output/wrap.ts";

/** Clocks that differ by less concern nobody. */
const shownFromMs = 60_000;

export function toClockText(columns: number, { serviceAheadMs, unseenMs }: PlanClock): string {
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
    passes > 1 && `a drain left to itself needs ${passes} passes`,
    used !== null && `the open pass has used ${used} of ${perPass?.limit}`,
  ];
  const day = perDay !== null && [
    `${perDay.used} of ${perDay.limit} used today (UTC)`,
    perDay.left === 0 ? `nothing left for ${formatDuration(perDay.endsInMs)}` : `${perDay.left} left`,
    days > 1 && `spread over ${days} days`,
  ];
  return wrapList(columns, 4, "perPass", pass) + wrapList(columns, 4, "perDay", day || []);
}

/** The lanes of a plan; empty if there are none, or nothing is due to them. */
export function toPlanLanesText(columns: number, waits: LaneWaits | null): string {
  if (waits === null || waits.lanes.length === 0) return "";
  const watch = formatDuration(waits.watchMs);
  return joined(
    "\n",
    wrapWords(columns, 2, "", `lanes: a destination gets more when nothing has come back for ${watch}`),
    toLanesText(columns, 4, waits),
    waits.lanes.some(({ state }) => state !== "open") && wrapWords(columns, 2, "", applyText),
  );
}

const applyText =
  "apply sends each lane a step, waits for its watch and goes on. It leaves what would wait longer than 10m, and what waits for a lane that stays halted";

export function toLanesText(columns: number, indent: number, { lanes, more }: LaneWaits): string {
  const others = more.lanes > 0 && `${toWait(more.due)} ${counted(more.lanes, "more lane")}`;
  return [...lanes.map(toLaneItems), [others]]
    .map((items) => wrapList(columns, indent, "", items, 0))
    .join("");
}

/** `1152 wait for halted lanes`, of those that are shown; empty if none do. */
export function toHaltedText(waits: LaneWaits | null): string {
  const halted = (waits?.lanes ?? []).filter(({ state }) => state === "halted");
  const due = halted.reduce((sum, lane) => sum + lane.due, 0);
  return due === 0 ? "" : `${toWait(due)} halted lanes`;
}

/** `12 wait for lane https://pay.example.com: halted for 3m`, `3 of 5 came back, 503`, `next probe in 4m`. */
function toLaneItems({ origin, due, kept, state, sinceMs, why, sent, nextInMs }: LaneWait) {
  const since = sinceMs === null ? "new" : `${state} for ${formatDuration(sinceMs)}`;
  const waiting = due === 0 ? "" : state === "open" ? `${due} due to ` : `${toWait(due)} `;
  const when = nextInMs === 0 ? "now" : `in ${formatDuration(Math.max(1_000, nextInMs))}`;
  const probe = sent > 0 ? `its probe is watched, and judged ${when}` : `next probe ${when}`;
  return [
    `${waiting}lane ${origin}: ${since}`,
    why !== "new" && why,
    state !== "open" && (state === "halted" ? probe : `next step ${when}`),
    kept > 0 && `${kept} without attempts left held and not parked`,
  ];
}

function toWait(count: number): string {
  return `${count} ${count === 1 ? "waits" : "wait"} for`;
}
