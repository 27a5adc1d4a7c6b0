import type { Command } from "commander";
import type { Core } from "../../../job/door.ts";
import type { CommandContext, Register } from "../command-context.ts";
import { parkedFilter } from "../../operations/fields.ts";
import { counted } from "../../operations/phrases.ts";
import { addFields } from "../operation-command.ts";
import type { Stop } from "../input/stop-on-signals.ts";
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
import { showParked } from "./show.ts";
import { summariseParked } from "./summary.ts";
import { countOption } from "../input/option-values.ts";
import { toJsonLine } from "../output/json.ts";
import { tableLimit } from "../output/table.ts";
import { unknownDrainNote } from "../../operations/choose-drains.ts";
import { withRedisAndStop } from "../with-redis-and-stop.ts";

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
