/** The lanes that messages of a plan wait for, in lines for a person. */
import type { LaneWait, LaneWaits } from "../../plan/lane-waits.ts";
import { formatDuration } from "../../../job/rules/durations.ts";
import { toDestinationText } from "../../operations/destination-text.ts";
import { counted, joined } from "../../operations/phrases.ts";
import { wrapList, wrapWords } from "../output/wrap.ts";
import { toNextStepText } from "../../operations/lane-words.ts";

export function toPlanLanesText(columns: number, waits: LaneWaits | null): string {
  if (waits === null || waits.lanes.length === 0) return "";
  const watch = formatDuration(waits.watchMs);
  return joined(
    "\n",
    wrapWords(columns, 2, "", `lanes: a destination gets more when nothing failed again for ${watch}`),
    toLanesText(columns, 4, waits),
    waits.lanes.some(({ state }) => state !== "open") && wrapWords(columns, 2, "", applyText),
  );
}

const applyText =
  "apply sends each destination a few, waits for failures, and sends more. It leaves what would wait longer than 10m, and what waits for a destination that stays halted";

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

/** `12 wait for lane pay.example.com: halted for 3m`, `3 of 5 failed again, 503`, `next probe in 4m`. */
function toLaneItems(lane: LaneWait) {
  const { origin, due, kept, state, sinceMs, why } = lane;
  const since = sinceMs === null ? "new" : `${state} for ${formatDuration(sinceMs)}`;
  const waiting = due === 0 ? "" : state === "open" ? `${due} due to ` : `${toWait(due)} `;
  return [
    `${waiting}lane ${toDestinationText(origin)}: ${since}`,
    why !== "new" && why,
    state !== "open" && toNextStepText(lane),
    kept > 0 && `${kept} without attempts left are held, not parked`,
  ];
}

function toWait(count: number): string {
  return `${count} ${count === 1 ? "waits" : "wait"} for`;
}
