import type { Command } from "commander";
import type { Core } from "../../../job/door.ts";
import type { CommandContext, Register } from "../io.ts";
import { parkedFilter } from "../../operations/fields.ts";
import { counted } from "../../operations/phrases.ts";
import { addFields } from "../operation-command.ts";
import { type Stop, withRedisAndStop } from "../with-core.ts";
import { loadAll, loadForReading, type Loaded } from "../load-config.ts";
import { requireFailure } from "../../operations/failures/choose.ts";
import { createParkedCount } from "../../operations/parked/count.ts";
import {
  createOldest,
  visitParked,
  type FoundParked,
  type ParkedFilter,
} from "../../operations/parked/find.ts";
import { showListed } from "../output/progress.ts";
import { toParkedFailures, toParkedJson, toParkedTable } from "./text.ts";
import { summariseParked } from "./summary.ts";
import { countOption } from "../input/option-values.ts";
import { toJsonLine } from "../output/print.ts";
import { tableLimit } from "../output/table.ts";
import { unknownDrainNote } from "../../operations/choose-drains.ts";
import { toPrintable } from "../../../job/message/show-masked-values.ts";
import type { DlqId, RawRecord } from "../../../job/message/dead-letter.ts";
import { toSafeJson } from "../../../job/message/write-safe-json.ts";
import { isDecidedAgain, type LedgerView } from "../../../job/contracts/ledger-entries.ts";
import { toMaskedRecord } from "../../operations/records/masked-record.ts";
import { toFieldsText } from "../output/fields-text.ts";
import { systemClock } from "../../../system-world.ts";

type ListFlags = ParkedFilter & Readonly<{ json?: boolean; limit?: number }>;
type SummaryFlags = ParkedFilter & Readonly<{ json?: boolean }>;
type ShowFlags = Readonly<{ json?: boolean; showContent?: boolean }>;
export const registerParked: Register = (program, context) => {
  const parked = program
    .command("parked")
    .description("dead letters that wait for a person, or for a change of rules");
  addFilterOptions(parked.command("list").description("what is parked, oldest first, and why"))
    .addOption(countOption("--limit <n>", "at most so many, the oldest first"))
    .option("--json", "print one JSON object per line")
    .action((flags: ListFlags, command: Command) =>
      withRedisAndStop(loadFor(flags, command, context), context, (core, stop) =>
        list(core, flags, stop, context),
      ),
    );
  addFilterOptions(
    parked
      .command("summary")
      .description("what is parked, counted by reason, rule, destination and answer, and what to do next"),
  )
    .option("--json", "print one JSON object")
    .action((flags: SummaryFlags, command: Command) =>
      withRedisAndStop(loadFor(flags, command, context), context, async (core, stop) => {
        const { io } = context;
        const total = await summariseParked(core, flags, stop, io);
        io.err(unknownDrainNote(flags.drain, [...core.drains.keys()], total) ?? "");
      }),
    );
  parked
    .command("show")
    .description("one dead letter: why it is parked, what it waits for, the record itself")
    .argument("<dlqIds...>", "its id, as list shows it")
    .option("--json", "print one JSON object per line, bodies and header values masked")
    .option("--show-content", "with bodies and header values, complete")
    .action((ids: string[], flags: ShowFlags, command: Command) =>
      withRedisAndStop(loadAll(command, context.io), context, (core, stop) =>
        showParked(core, ids, flags, stop, context),
      ),
    );
};

function addFilterOptions(command: Command): Command {
  addFields(command, { input: parkedFilter });
  return command;
}

/** Which rule matches now only a document that loads can answer. */
function loadFor({ rule }: ParkedFilter, command: Command, { io }: CommandContext): Loaded {
  return (rule === undefined ? loadForReading : loadAll)(command, io);
}

async function list(core: Core, flags: ListFlags, stop: Stop, { io }: CommandContext): Promise<void> {
  const { json = false, limit = json ? Infinity : tableLimit, ...filter } = flags;
  if (filter.failure !== undefined) await requireFailure(core, core.sources.keys(), filter.failure);
  const oldest = createOldest<FoundParked>(limit);
  const counts = createParkedCount();
  // JSON shows no counts of the others.
  const selection = { filter, listing: "always", ...(json ? { most: limit } : {}) } as const;
  const total = await showListed(io, stop, (search) =>
    visitParked(core, selection, search, (one) => {
      oldest.add(one);
      counts.add(one);
    }),
  );
  const all = counts.read();
  const found = oldest.read();
  if (json) for (const one of found) io.out(toJsonLine(toParkedJson(one)));
  else {
    io.out(toParkedTable(io.columns, found));
    io.err(toParkedFailures(io.columns, all));
  }
  io.err(unknownDrainNote(flags.drain, [...core.drains.keys()], total) ?? "");
  if (found.length < total) io.err(`these are ${found.length} of ${total}; see --limit\n`);
  const orphans = all.reasons().reduce((sum, { hasDrain, count }) => (hasDrain ? sum : sum + count), 0);
  if (orphans === 0) return;
  io.err(
    `${counted(orphans, "was", "were")} parked by a drain that is not in the document (removed, or renamed): no rules decide that again, only redriver parked release\n`,
  );
}

/** Of an id that is not parked it reports what the ledger knows, and ends with 1. */
async function showParked(
  core: Core,
  ids: readonly string[],
  flags: { readonly json?: boolean; readonly showContent?: boolean },
  stop: Stop,
  { io, exitWith }: CommandContext,
): Promise<void> {
  const records = new Map<string, RawRecord>();
  const oldest = createOldest<FoundParked>(Infinity);
  await showListed(io, stop, (search) =>
    visitParked(core, { filter: {}, ids, listing: "always" }, search, (one, raw) => {
      oldest.add(one);
      if (raw !== undefined) records.set(one.dlqId, raw);
    }),
  );
  const shown = oldest.read();
  for (const one of shown) {
    const raw = records.get(one.dlqId);
    const record = raw === undefined ? null : flags.showContent === true ? raw : toMaskedRecord(raw);
    if (flags.json === true) io.out(toJsonLine({ ...toParkedJson(one), record }));
    else {
      const shown = { ...toParkedJson(one), waitsFor: toWait(one) };
      io.out(toFieldsText(Infinity, shown, systemClock.now()));
      io.out(`${record === null ? "" : `${toSafeJson(record)}\n`}\n`);
    }
  }
  const others = ids.filter((id) => !shown.some(({ dlqId }) => dlqId === id));
  for (const id of others) io.err(`${await describeOther(core, id)}\n`);
  if (others.length > 0) exitWith(1);
}

function toWait({ view: { reason }, hasDrain }: FoundParked): string {
  if (reason === "rule" || reason === "otherwise") {
    return hasDrain ? "other rules in its drain, or a release" : "a release, or a drain of that name again";
  }
  if (reason === "malformed-record") return "a build that can read it";
  if (isDecidedAgain(reason)) return "other settings (publish.*), or another destination by a rule";
  return reason === "vanished" ? "being listed again, or a release" : "a release";
}

async function describeOther(core: Core, id: string): Promise<string> {
  for (const { runtime } of core.sources.values()) {
    const { views } = await runtime.ledger.peek([id as DlqId]);
    const [view] = views;
    if (view !== undefined && view.state !== "absent") {
      return `not parked: ${id} is ${toState(view)} in source ${runtime.config.id}; see redriver history ${id}`;
    }
  }
  return `not parked: ${id} is not known to the ledger`;
}

function toState(view: LedgerView): string {
  if (view.state === "published") return `published as ${toPrintable(view.as)}`;
  return view.state === "cool" && view.released !== false ? "released" : view.state;
}
