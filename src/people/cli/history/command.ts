import { type Command, InvalidArgumentError, Option } from "commander";
import { openAuditReader, requireRedis, type Core } from "../../../job/door.ts";
import {
  type AuditEntry,
  type AuditQuery,
  type AuditReader,
  auditActs,
  laneActs,
  type AuditAct,
} from "../../../job/contracts/audit.ts";
import type { CommandContext, Register, Io } from "../io.ts";
import { toActRows, type ActRow } from "../../operations/history/act-rows.ts";
import {
  actColumns,
  historyColumns,
  toHistoryRows,
  withProofs,
  type HistoryRow,
} from "../../operations/history/rows.ts";
import { toEnteredAt } from "../../../job/message/parse-record.ts";
import { toTable, tableLimit } from "../output/table.ts";
import { readCutNote } from "../../operations/history/cut-note.ts";
import { findLineage } from "../../operations/history/find-lineage.ts";
import { requireSpan } from "../../operations/history/read-page.ts";
import { selectRecords } from "../../operations/history/select-records.ts";
import { sumHistory } from "../../operations/history/summary.ts";
import { systemClock } from "../../../system-world.ts";
import { toFieldsText } from "../output/fields-text.ts";
import { loadForReading } from "../load-config.ts";
import { toTime } from "../../operations/phrases.ts";
import { createProgressLine } from "../output/progress.ts";
import { createStop, type Stop, withCore } from "../with-core.ts";
import { printResult, printRows } from "../output/print.ts";
import { unknownDrainNote } from "../../operations/choose-drains.ts";
import { faceOf, parseInput } from "../../operations/define.ts";
import { hostAlone, hostGlob } from "../../operations/fields.ts";
import { defined } from "../../../job/message/defined.ts";
import { misused } from "../../../job/contracts/errors.ts";
import type { DrainName } from "../../../job/contracts/ids.ts";
import { compileGlob } from "../../../job/rules/patterns/glob.ts";
import { countOption, timeOption } from "../input/option-values.ts";

export const registerHistory: Register = (program, context) => {
  const { io } = context;
  const command = program
    .command("history")
    .description(
      "what was done, newest first: to a dead letter and those it came from or came back as, in a drain, in a span of time",
    )
    .argument(
      "[dlqId]",
      "only this dead letter and its lineage; or the id that its message was published as",
    );
  addHistoryOptions(command).action(
    async (dlqId: string | undefined, flags: HistoryFlags, asked: Command) => {
      const query = toQuery(flags, dlqId);
      const loaded = loadForReading(asked, io);
      const drains = loaded.document.drains.map(({ name }) => name);
      await withCore(io, loaded, {}, async (core, teardown) => {
        await requireRedis(core);
        const reader = await openAuditReader(core);
        const { ofDrains } =
          dlqId === undefined
            ? await show(reader, query, flags, io)
            : await showLetter(dlqId, core, createStop(io, teardown), reader, query, flags, context);
        io.err(unknownDrainNote(flags.drain, drains, ofDrains) ?? "");
      });
    },
  );
};

async function showLetter(
  dlqId: string,
  core: Core,
  stop: Stop,
  reader: AuditReader,
  query: AuditQuery,
  flags: HistoryFlags,
  { io, exitWith }: CommandContext,
) {
  const lineage = await findLineage(await toDlqId(dlqId, reader), {
    reader,
    sources: [...core.sources.values()].map(({ runtime }) => runtime),
    signal: AbortSignal.any([stop.signal, stop.stopping]),
    progress: createProgressLine(io),
  });
  const ofLineage = { ...query, dlqIds: lineage.dlqIds };
  const shown = await show(reader, ofLineage, { ...flags, records: true }, io);
  for (const note of lineage.notes) io.err(`${note}\n`);
  if (stop.stopping.aborted) exitWith(3);
  else if (shown.rows === 0 && !lineage.isListed) exitWith(1);
  return shown;
}

/** A receiver knows its message's id alone. An id that no message was published as stays as it is. */
async function toDlqId(id: string, reader: AuditReader): Promise<string> {
  if (toEnteredAt(id) !== null) return id;
  for await (const { records } of reader.read({ acts: new Set(["published"]), order: "newest-first" })) {
    const found = records.find(({ as }) => as === id);
    if (found !== undefined) return found.dlqId;
  }
  return id;
}

/** How many rows were shown, and how many of them name a drain: an act on all drains does not. */
async function show(reader: AuditReader, query: AuditQuery, flags: HistoryFlags, io: Io) {
  const { json = false, limit } = flags;
  const { entries, missing } = selectRecords(reader.read(query), flags);
  let [rows, ofDrains] = [0, 0];
  const count = <Row extends Pick<HistoryRow, "drain">>(row: Row): Row => {
    rows += 1;
    if (row.drain !== null) ofDrains += 1;
    return row;
  };
  const toJson = json ? (row: object): object => row : null;
  if (flags.summary === true) (await summarise(entries, flags, io)).acts.forEach(count);
  else if (flags.records === true) {
    await printRows(io, toRecordRows(entries), limit, toJson, count, (all: readonly HistoryRow[]) =>
      toTable(io.columns, withProofs(all), historyColumns),
    );
  } else {
    await printRows(io, toActRows(entries), limit, toJson, count, (all: readonly ActRow[]) =>
      toTable(io.columns, all, actColumns),
    );
  }
  io.err(missing());
  if (rows !== limit) io.err(await readCutNote(reader, query.since));
  return { rows, ofDrains };
}

async function* toRecordRows(entries: AsyncIterable<AuditEntry>): AsyncGenerator<HistoryRow> {
  for await (const entry of entries) yield* toHistoryRows(entry);
}

const entriesPerNews = 1_000;

async function summarise(entries: AsyncIterable<AuditEntry>, { json }: HistoryFlags, io: Io) {
  const progress = createProgressLine(io);
  try {
    const summary = await sumHistory(entries, (read, at) => {
      if (read % entriesPerNews === 0) progress.show(`${read} entries read, back to ${toTime(at)}`);
    });
    progress.end();
    printResult(io, json, summary, () => toFieldsText(io.columns, summary, systemClock.now()));
    return summary;
  } finally {
    progress.end();
  }
}

type HistoryFlags = Readonly<{
  drain?: string;
  act?: readonly AuditAct[];
  lanes?: boolean;
  host?: string;
  rule?: string;
  by?: string;
  since?: number;
  until?: number;
  records?: boolean;
  summary?: boolean;
  limit?: number;
  json?: boolean;
}>;

function addHistoryOptions(command: Command): Command {
  return command
    .option("--drain <name>", "only in this drain")
    .addOption(
      new Option("--act <act>", "only such acts; more than once, or a list with commas")
        .choices(auditActs)
        .argParser(addActs)
        .conflicts("lanes"),
    )
    .option("--lanes", "only what lanes did: halted, resumed, opened")
    .option("--host <host>", faceOf(hostGlob).about)
    .option("--rule <name>", "only what this rule decided")
    .option("--by <name>", "only what this person or daemon did; * stands for any part")
    .addOption(timeOption("--since <time>", "done since: 2d, a date, a time with a zone", "from"))
    .addOption(timeOption("--until <time>", "done until", "to"))
    .option("--records", "one row per dead letter; always so for a dlqId")
    .addOption(
      new Option("--summary", "counts by act and drain, and by person").conflicts(["records", "limit"]),
    )
    .addOption(countOption("--limit <n>", `at most so many rows; default: all, of the table ${tableLimit}`))
    .option("--json", "print one JSON object per line, or one for the summary");
}

function addActs(text: string, before: readonly AuditAct[] = []): readonly AuditAct[] {
  const acts = text.split(",").map((name) => {
    const act = auditActs.find((one) => one === name.trim());
    if (act !== undefined) return act;
    throw new InvalidArgumentError(`No act is named "${name.trim()}"; the acts are ${auditActs.join(", ")}.`);
  });
  return [...before, ...acts];
}

/** What the store selects by itself. Throws `command-misused`. */
function toQuery(
  { drain, act, host, lanes = false, by, since, until, summary = false }: HistoryFlags,
  dlqId: string | undefined,
): AuditQuery {
  if (dlqId !== undefined && (summary || lanes)) {
    const flag = summary ? "--summary" : "--lanes";
    throw misused(`${flag} is not about one dead letter; leave out ${dlqId}`);
  }
  parseInput({ input: hostAlone }, { host }, () => "--host");
  requireSpan(since, until);
  const acts = lanes ? laneActs : act;
  return {
    order: "newest-first",
    ...defined({
      drain: drain as DrainName | undefined,
      acts: acts === undefined ? undefined : new Set<AuditAct>(acts),
      by: by === undefined ? undefined : compileGlob(by),
      since,
      until,
    }),
  };
}
