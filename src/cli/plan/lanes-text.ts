/** The lanes that messages wait for, in lines for a person. */
import type { LaneWait, LaneWaits } from "../../redrive/plan/lane-waits.ts";
import { formatDuration } from "../../rules/durations.ts";
import { counted } from "../output/counted.ts";
import { wrapList, wrapWords } from "../output/wrap.ts";

/** The lanes of a plan; empty if there are none, or nothing is due to them. */
export function toPlanLanesText(columns: number, waits: LaneWaits | null): string {
  if (waits === null || waits.lanes.length === 0) return "";
  const watch = formatDuration(waits.watchMs);
  const isAnyTried = waits.lanes.some(({ state }) => state !== "open");
  return [
    "\n",
    wrapWords(columns, 2, "", `lanes: a destination gets more when nothing has come back for ${watch}`),
    toLanesText(columns, 4, waits),
    isAnyTried ? wrapWords(columns, 2, "", applyText) : "",
  ].join("");
}

const applyText =
  "apply sends each lane a step, waits for its watch and goes on. It leaves what would wait longer than 10m, and what waits for a lane that stays halted";

export function toLanesText(columns: number, indent: number, { lanes, more }: LaneWaits): string {
  const lines = lanes.map(toLaneItems);
  if (more.lanes > 0) lines.push([`${toWait(more.due)} ${counted(more.lanes, "more lane")}`]);
  return lines.map((items) => wrapList(columns, indent, "", items, 0)).join("");
}

/** `1152 wait for halted lanes`, of those that are shown; empty if none do. */
export function toHaltedText(waits: LaneWaits | null): string {
  const halted = (waits?.lanes ?? []).filter(({ state }) => state === "halted");
  const due = halted.reduce((sum, lane) => sum + lane.due, 0);
  return due === 0 ? "" : `${toWait(due)} halted lanes`;
}

/** `12000 wait for lane https://pay.example.com: halted for 3m`, `3 of 5 came back, 503`, `next probe in 4m`. */
function toLaneItems(lane: LaneWait): string[] {
  const { origin, due, kept, state, sinceMs, why } = lane;
  const since = sinceMs === null ? "new" : `${state} for ${formatDuration(sinceMs)}`;
  const waiting = due === 0 ? "" : state === "open" ? `${due} due to ` : `${toWait(due)} `;
  return [
    `${waiting}lane ${origin}: ${since}`,
    ...(why === null || why === "new" ? [] : [why]),
    ...toNext(lane),
    ...(kept === 0 ? [] : [`${kept} without attempts left held and not parked`]),
  ];
}

function toWait(count: number): string {
  return `${count} ${count === 1 ? "waits" : "wait"} for`;
}

function toNext({ state, sent, nextInMs }: LaneWait): readonly string[] {
  const when = nextInMs === 0 ? "now" : `in ${formatDuration(Math.max(1_000, nextInMs))}`;
  switch (state) {
    case "open":
      return [];
    case "halted":
      return [sent > 0 ? `its probe is watched, and judged ${when}` : `next probe ${when}`];
    case "canary":
    case "ramping":
      return [`next step ${when}`];
  }
}
