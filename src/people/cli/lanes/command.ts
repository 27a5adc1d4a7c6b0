import { unknownDrainNote } from "../../operations/choose-drains.ts";
import { lanesReading, readLanes, type LaneRow } from "../../operations/lanes/read.ts";
import type { Register } from "../io.ts";
import { countOption } from "../input/option-values.ts";
import { printRows } from "../output/print.ts";
import { tableLimit, toTable } from "../output/table.ts";
import { addReading } from "../operation-command.ts";
import { formatDuration } from "../../../job/rules/durations.ts";
import { toDestinationText } from "../../operations/destination-text.ts";
import { present, toAge } from "../../operations/phrases.ts";

export const registerLanes: Register = (program, context) => {
  const { io } = context;
  const lanes = program
    .command("lanes")
    .description("how each destination is tried, and what a person can do about a halted one");
  addReading(
    lanes,
    lanesReading,
    context,
    async ({ core, input: { drain }, isWhole, now }, { json, limit }) => {
      const { shown } = await printRows(
        io,
        readLanes(core, { drain, isWhole }),
        limit,
        json === true ? (row: LaneRow): object => row : null,
        (row: LaneRow) => row,
        (rows) => (rows.length === 0 ? "" : toLanesTable(io.columns, rows, now)),
      );
      const note = unknownDrainNote(drain, [...core.drains.keys()], shown);
      if (shown === 0) io.err(note ?? "no lanes are known: nothing was tried for 7 days\n");
    },
  )
    .addOption(countOption("--limit <n>", `at most so many; default: all, of the table ${tableLimit}`))
    .option("--json", "print one JSON object per line");
};

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
