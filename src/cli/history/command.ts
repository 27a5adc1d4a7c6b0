import type { Command } from "commander";
import { openAuditReader } from "../../compose/open-core.ts";
import { requireRedis } from "../../compose/open-core.ts";
import { defined } from "../../message/defined.ts";
import { toSafeJson } from "../../message/write-safe-json.ts";
import type { AuditQuery, AuditReader } from "../../ports/audit.ts";
import type { DrainName } from "../../ports/ids.ts";
import type { Register } from "../command-context.ts";
import { historyColumns, toHistoryRows, withProofs, type HistoryRow } from "./rows.ts";
import { findLineage } from "./find-lineage.ts";
import type { Io } from "../io.ts";
import { loadForReading } from "../load-config.ts";
import { createProgressLine } from "../output/progress.ts";
import { createStop } from "../input/stop-on-signals.ts";
import { printRows } from "../output/print.ts";
import { toTable } from "../output/table.ts";
import { unknownDrainNote } from "../input/choose-drains.ts";
import { countOption, timeOption } from "../input/option-values.ts";
import { tableLimit } from "../output/table.ts";
import { withCore } from "../with-core.ts";

type HistoryFlags = Readonly<{
  drain?: string;
  since?: number;
  until?: number;
  limit?: number;
  json?: boolean;
}>;

export const registerHistory: Register = (program, { io, exitWith }) => {
  program
    .command("history")
    .description(
      "what was done, newest first: to a dead letter and those it came from or came back as, in a drain, in a span of time",
    )
    .argument("[dlqId]", "only this dead letter and its lineage")
    .option("--drain <name>", "only in this drain")
    .addOption(timeOption("--since <time>", "done since: 2d, a date, a time with a zone", "from"))
    .addOption(timeOption("--until <time>", "done until", "to"))
    .addOption(countOption("--limit <n>", `at most so many rows; default: all, of the table ${tableLimit}`))
    .option("--json", "print one JSON object per line")
    .action(async (dlqId: string | undefined, flags: HistoryFlags, command: Command) => {
      const loaded = loadForReading(command, io);
      const drains = loaded.document.drains.map(({ name }) => name);
      await withCore(io, loaded, {}, async (core, teardown) => {
        await requireRedis(core.redis);
        const reader = openAuditReader(core);
        if (dlqId === undefined) {
          const { ofDrains } = await show(reader, toQuery(flags), flags, io);
          io.err(unknownDrainNote(flags.drain, drains, ofDrains) ?? "");
          return;
        }
        const stop = createStop(io, teardown);
        const lineage = await findLineage(dlqId, {
          reader,
          sources: [...core.sources.values()].map(({ runtime }) => runtime),
          signal: AbortSignal.any([stop.signal, stop.stopping]),
          progress: createProgressLine(io),
        });
        const { shown, ofDrains } = await show(reader, toQuery(flags, lineage.dlqIds), flags, io);
        io.err(unknownDrainNote(flags.drain, drains, ofDrains) ?? "");
        for (const note of lineage.notes) io.err(`${note}\n`);
        if (stop.stopping.aborted) exitWith(3);
        else if (shown === 0 && !lineage.isListed) exitWith(1);
      });
    });
};

function toQuery({ drain, since, until }: HistoryFlags, dlqIds?: ReadonlySet<string>): AuditQuery {
  return {
    order: "newest-first",
    ...defined({ dlqIds, drain: drain as DrainName | undefined, since, until }),
  };
}

/** Answers how many rows were shown, and how many of them name a drain: an act on all drains does not. */
async function show(
  reader: AuditReader,
  query: AuditQuery,
  { json = false, limit }: HistoryFlags,
  io: Io,
): Promise<{ readonly shown: number; readonly ofDrains: number }> {
  let ofDrains = 0;
  const count = (row: HistoryRow): HistoryRow => {
    if (row.drain !== null) ofDrains += 1;
    return row;
  };
  const { shown } = await printRows(
    io,
    rowsOf(reader, query),
    limit,
    json ? toSafeJson : null,
    count,
    (rows) => toTable(withProofs(rows), historyColumns),
  );
  return { shown, ofDrains };
}

async function* rowsOf(reader: AuditReader, query: AuditQuery): AsyncGenerator<HistoryRow> {
  for await (const entry of reader.read(query)) yield* toHistoryRows(entry);
}
