import { formatDuration } from "../../../job/rules/durations.ts";
import { cutMiddle, toDestinationText } from "../../operations/destination-text.ts";
import { cut, present, toAge } from "../../operations/phrases.ts";
import { fittingName, toTable, toTableWithTexts } from "../output/table.ts";
import type { LaneRow } from "../../operations/lanes/read.ts";

/** A state has 7 characters, an age 6, and `probe in 14m59s` has 15. So a destination has 30 and mostly more. */
const maxDrain = 14;

/** A line for each lane. On a terminal its history is below it, elsewhere behind it. `now`: Unix ms. */
export function toLanesTable(columns: number, rows: readonly LaneRow[], now: number): string {
  const isNarrow = Number.isFinite(columns);
  const common = {
    destination: ({ origin }: LaneRow) => toDestinationText(origin),
    drain: ({ drain }: LaneRow) => (isNarrow ? cut(drain, maxDrain) : drain),
    state: ({ state }: LaneRow) => state,
    for: ({ since }: LaneRow) => toAge(since, now),
    next: toNext,
  };
  const toText = (row: LaneRow): string => toHistory(row, now);
  if (!isNarrow) return toTable(rows, { ...common, why: toText });
  const withNames = (max: number) => ({
    ...common,
    destination: (row: LaneRow): string => cutMiddle(common.destination(row), max),
  });
  const max = fittingName(columns, (most) => toTable(rows, withNames(most)));
  return toTableWithTexts(columns, rows, withNames(max), toText);
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
