import type { Command } from "commander";
import { openArchiveReader } from "../../../job/door.ts";
import { defined } from "../../../job/message/defined.ts";
import { toShownUrl } from "../../../job/message/show-masked-values.ts";
import type {
  ArchiveDamage,
  ArchiveEntry,
  ArchiveFilter,
  ArchiveReader,
} from "../../../job/contracts/archive.ts";
import { misused } from "../../../job/contracts/errors.ts";
import type { DrainName, SourceId } from "../../../job/contracts/ids.ts";
import { toSecond } from "../../operations/phrases.ts";
import type { CommandContext, Register, Io } from "../io.ts";
import { unknownDrainNote } from "../../operations/choose-drains.ts";
import { countOption, timeOption } from "../input/option-values.ts";
import { toRows } from "../output/fields-text.ts";
import { tableLimit, toTable } from "../output/table.ts";
import { loadAll } from "../load-config.ts";
import { toMaskedRecord } from "../../operations/records/masked-record.ts";
import { printResult, printRows } from "../output/print.ts";

type ShowOptions = Readonly<{
  dir?: string;
  drain?: string;
  source?: string;
  since?: number;
  until?: number;
}> &
  Readonly<{ limit?: number; json?: boolean; showContent?: boolean }>;

export const registerArchive: Register = (program, context) => {
  const archive = program
    .command("archive")
    .description("dead letters that were kept before they were deleted or expired");
  const dirFlag = ["--dir <path>", "the archive; default: archive.dir of the drains document"] as const;
  archive
    .command("list")
    .description("its files: size, entries, time, drains and reasons")
    .option(...dirFlag)
    .option("--json", "print as JSON")
    .action(async ({ dir, json }: { dir?: string; json?: boolean }, command: Command) => {
      const files = await summariseArchive(await openArchiveReader(placeOf(dir, command, context.io).dir));
      for (const { file, damages } of files) {
        for (const damage of damages) reportDamage({ file, ...damage }, context);
      }
      printResult(context.io, json, files, () => toArchiveText(context.io.columns, files));
    });
  archive
    .command("show")
    .description("its entries, oldest file first")
    .argument("[dlqIds...]", "only these dead letters")
    .option(...dirFlag)
    .option("--drain <name>", "only of this drain")
    .option("--source <id>", "only of this source")
    .addOption(timeOption("--since <time>", "archived since: 2d, a date, a time with a zone", "from"))
    .addOption(timeOption("--until <time>", "archived until", "to"))
    .addOption(countOption("--limit <n>", `at most so many; default: all, of the table ${tableLimit}`))
    .option("--json", "print one JSON object per line, bodies and header values masked")
    .option("--show-content", "the same with bodies and header values, complete")
    .action((dlqIds: string[], options: ShowOptions, command: Command) =>
      show(dlqIds, options, placeOf(options.dir, command, context.io), context),
    );
};

async function show(
  dlqIds: readonly string[],
  options: ShowOptions,
  { dir, drains }: ReturnType<typeof placeOf>,
  context: CommandContext,
): Promise<void> {
  const { io } = context;
  const missing = new Set<string>(dlqIds);
  const entries = (await openArchiveReader(dir)).entries(toFilter(dlqIds, options), (damage) =>
    reportDamage(damage, context),
  );
  const take = (entry: ArchiveEntry) => {
    missing.delete(entry.dlqId);
    return toRow(entry);
  };
  const { shown, more } = await printRows(io, entries, options.limit, toJsonOf(options), take, (rows) =>
    toRows(io.columns, rows),
  );
  if (more) return;
  io.err(unknownDrainNote(options.drain, drains, shown) ?? "");
  if (missing.size > 0) {
    io.err(`not in the archive: ${[...missing].join(", ")}\n`);
    context.exitWith(1);
  }
}

function toFilter(dlqIds: readonly string[], { drain, source, since, until }: ShowOptions): ArchiveFilter {
  return defined({
    dlqIds: dlqIds.length === 0 ? undefined : dlqIds,
    drain: drain as DrainName | undefined,
    source: source as SourceId | undefined,
    since,
    until,
  });
}

function toJsonOf({ json, showContent }: ShowOptions): ((entry: ArchiveEntry) => object) | null {
  if (showContent === true) return (entry) => entry;
  return json === true ? (entry) => ({ ...entry, record: toMaskedRecord(entry.record) }) : null;
}

/** Bodies are not kept: a table is in memory before it is printed. */
function toRow({ at, why, source, drain, rule, dlqId, record }: ArchiveEntry) {
  const { responseStatus: status, url } = record;
  return {
    archived: toSecond(at),
    why,
    source,
    drain,
    rule,
    dlqId,
    status: typeof status === "number" && status > 0 ? status : null,
    url: typeof url === "string" ? toShownUrl(url, "masked") : null,
  };
}

/** A killed process leaves a torn end: nothing that was promised is missing. Anything else is a failure. */
function reportDamage({ file, kind, why }: ArchiveDamage, { io, exitWith }: CommandContext): void {
  if (kind === "torn") {
    io.err(`warning: ${file}: ${why}; its writer was killed or is writing just now, or it was cut\n`);
    return;
  }
  io.err(`damaged: ${file}: ${why}; what could be read was read\n`);
  exitWith(1);
}

/** With --dir nothing is loaded, so that an archive can be read without a document. */
function placeOf(named: string | undefined, command: Command, io: Io) {
  if (named !== undefined) return { dir: named, drains: [] };
  const { archive, drains } = loadAll(command, io).document;
  if (archive !== undefined) return { dir: archive.dir, drains: drains.map(({ name }) => name) };
  throw misused("the drains document has no archive; name its directory with --dir");
}

interface ArchiveCount {
  /** Null: no drain selected them. */
  readonly drain: string | null;
  readonly why: ArchiveEntry["why"];
  entries: number;
}

interface ArchiveFileSummary {
  readonly file: string;
  readonly bytes: number;
  entries: number;
  /** Unix ms of its first and last entry by time; null if it has none. */
  from: number | null;
  to: number | null;
  readonly counts: ArchiveCount[];
  readonly damages: Omit<ArchiveDamage, "file">[];
}

/** Reads the whole archive, file by file. The size of a file that appears meanwhile is not known (0). */
async function summariseArchive(reader: ArchiveReader): Promise<readonly ArchiveFileSummary[]> {
  const files = new Map<string, ArchiveFileSummary>();
  const of = (file: string, bytes = 0): ArchiveFileSummary => {
    const one = files.get(file) ?? { file, bytes, entries: 0, from: null, to: null, counts: [], damages: [] };
    files.set(file, one);
    return one;
  };
  for (const { file, bytes } of await reader.files()) of(file, bytes);
  const entries = reader.entries({}, ({ file, ...damage }) => of(file).damages.push(damage));
  for await (const { file, at, drain, why } of entries) {
    const one = of(file);
    one.entries += 1;
    one.from = Math.min(one.from ?? at, at);
    one.to = Math.max(one.to ?? at, at);
    add(one.counts, { drain, why, entries: 1 });
  }
  return [...files.values()];
}

function toArchiveText(columns: number, files: readonly ArchiveFileSummary[]): string {
  const perFile = toTable(columns, files, {
    file: ({ file }) => file,
    bytes: ({ bytes }) => bytes,
    entries: ({ entries }) => entries,
    from: ({ from }) => toAt(from),
    to: ({ to }) => toAt(to),
    damage: ({ damages }) => [...new Set(damages.map(({ kind }) => kind))].join(", ") || "-",
  });
  const counts: ArchiveCount[] = [];
  for (const file of files) for (const count of file.counts) add(counts, count);
  const rows = counts.map((count) => ({ ...count }));
  return rows.length === 0 ? perFile : `${perFile}\n${toRows(columns, rows)}`;
}

function add(counts: ArchiveCount[], count: ArchiveCount): void {
  const same = counts.find(({ drain, why }) => drain === count.drain && why === count.why);
  if (same === undefined) counts.push({ ...count });
  else same.entries += count.entries;
}

function toAt(at: number | null): string {
  return at === null ? "-" : toSecond(at);
}
