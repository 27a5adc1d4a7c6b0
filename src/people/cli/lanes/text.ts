import { formatDuration } from "../../../job/rules/durations.ts";
import { toDestinationText } from "../../operations/destination-text.ts";
import { present, toAge } from "../../operations/phrases.ts";
import { toTable } from "../output/table.ts";
import type { LaneRow } from "../../operations/lanes/read.ts";

/** A line for each lane. `now`: Unix ms. */
export function toLanesTable(columns: number, rows: readonly LaneRow[], now: number): string {
  return toTable(columns, rows, {
    destination: ({ origin }) => toDestinationText(origin),
    drain: ({ drain }) => drain,
    state: ({ state }) => state,
    for: ({ since }) => toAge(since, now),
    next: toNext,
    why: (row) => toHistory(row, now),
  });
}

function toNext({ waitsFor, state, size, sent, nextInMs, awaitsLook }: LaneRow): string {
  if (state === "halted" && sent > 0) return "probe is out";
  if (waitsFor !== null) return waitsFor;
  if (nextInMs === null) return "-";
  if (awaitsLook || state === "open") return "check is due";
  const what = state === "halted" ? "probe" : "step";
  if (nextInMs > 0) return `${what} in ${formatDuration(nextInMs)}`;
  return state === "halted" ? "probe now" : `takes ${Math.max(0, size - sent)}`;
}

/** Why it came to its state, its last probe, and what it has tried since it is remembered. */
function toHistory({ why, lastProbeAt, totals }: LaneRow, now: number): string {
  return present([
    why,
    lastProbeAt !== null && `last probe ${toAge(lastProbeAt, now)} ago`,
    `${totals.canaries} canaries, ${totals.comeBacks} failed again`,
  ]).join("; ");
}
