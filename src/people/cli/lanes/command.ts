import { unknownDrainNote } from "../../operations/choose-drains.ts";
import { lanesReading, readLanes, type LaneRow } from "../../operations/lanes/read.ts";
import type { Register } from "../command-context.ts";
import { countOption } from "../input/option-values.ts";
import { printRows } from "../output/print.ts";
import { tableLimit } from "../output/table.ts";
import { addReading } from "../reading-command.ts";
import { toLanesTable } from "./text.ts";

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
