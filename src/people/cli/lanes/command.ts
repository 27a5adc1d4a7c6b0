import { type Command } from "commander";
import { requireRedis } from "../../../job/door.ts";
import { systemClock } from "../../../system-world.ts";
import type { CommandContext, Register } from "../command-context.ts";
import { unknownDrainNote } from "../../operations/choose-drains.ts";
import { countOption } from "../input/option-values.ts";
import { loadForReading } from "../load-config.ts";
import { printRows } from "../output/print.ts";
import { tableLimit } from "../output/table.ts";
import { withCore } from "../with-core.ts";
import { readLanes, type LaneRow } from "../../operations/lanes/read.ts";
import { toLanesTable } from "./text.ts";

type ListFlags = Readonly<{ drain?: string; json?: boolean; limit?: number }>;

export const registerLanes: Register = (program, context) => {
  const lanes = program
    .command("lanes")
    .description("how each destination is tried, and what a person can do about a halted one");
  lanes
    .command("list", { isDefault: true })
    .description("all lanes: halted ones first, then those that are tried, then open ones")
    .option("--drain <name>", "only of this drain")
    .addOption(countOption("--limit <n>", `at most so many; default: all, of the table ${tableLimit}`))
    .option("--json", "print one JSON object per line")
    .action((flags: ListFlags, command: Command) => list(flags, command, context));
};

async function list(
  { drain, json, limit }: ListFlags,
  command: Command,
  { io }: CommandContext,
): Promise<void> {
  const loaded = loadForReading(command, io);
  await withCore(io, loaded, {}, async (core) => {
    await requireRedis(core);
    const now = systemClock.now();
    const { shown } = await printRows(
      io,
      readLanes(core, { drain, isWhole: loaded.problems === 0 }),
      limit,
      json === true ? (row: LaneRow): object => row : null,
      (row: LaneRow) => row,
      (rows) => (rows.length === 0 ? "" : toLanesTable(io.columns, rows, now)),
    );
    const note = unknownDrainNote(drain, [...core.drains.keys()], shown);
    if (shown === 0) io.err(note ?? "no lanes are known: nothing was tried for 7 days\n");
  });
}
