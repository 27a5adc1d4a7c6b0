import { parkReasons, type ParkReason } from "../../../job/message/park-reasons.ts";
import { Option, type Command } from "commander";
import type { Core } from "../../../job/door.ts";
import { RedriverError } from "../../../job/contracts/errors.ts";
import { releaseFound, requireOwnReason } from "../../operations/parked/release-found.ts";
import type { CommandContext, Register } from "../command-context.ts";
import { counted } from "../../operations/phrases.ts";
import { hasConsent, requireConsent } from "../input/consent.ts";
import { currentUser } from "../input/current-user.ts";
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
import { findUseless } from "../../operations/parked/find-useless.ts";
import { insteadOfRelease } from "../../operations/parked/next-step.ts";
import { showListed } from "../output/progress.ts";
import { toParkedFailures, toParkedJson, toParkedTable, toReleaseTable } from "./text.ts";
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
type ReleaseFlags = ParkedFilter &
  Readonly<{ limit?: number; all?: boolean; yes?: boolean; reason: string; by: string; json?: boolean }>;

export const registerParked: Register = (program, context) => {
  const parked = program
    .command("parked")
    .description("dead letters that wait for a person, or for a change of rules");
  addFilterOptions(parked.command("list").description("what is parked, oldest first, and why"))
    .addOption(limitOption())
    .option("--json", "print one JSON object per line")
    .action((flags: ListFlags, command: Command) =>
      withRedisAndStop(loadFor(flags, command, context), context, currentUser(), (core, stop) =>
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
      withRedisAndStop(loadFor(flags, command, context), context, currentUser(), async (core, stop) => {
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
      withRedisAndStop(loadAll(command, context.io), context, currentUser(), (core, stop) =>
        showParked(core, ids, flags, stop, context),
      ),
    );
  addFilterOptions(
    parked
      .command("release")
      .description("grant one more attempt; the next pass makes it")
      .argument("[dlqIds...]", "only these dead letters"),
  )
    .addOption(limitOption())
    .option("--all", "everything that is parked")
    .requiredOption("--reason <text>", "why; recorded in the audit")
    .option("--by <name>", "who; default: the current user", currentUser())
    .option("--yes", "do not ask; required without a terminal")
    .option("--json", "print as JSON")
    .action((ids: string[], flags: ReleaseFlags, command: Command) => {
      checkRelease(ids, flags, context);
      return withRedisAndStop(loadAll(command, context.io), context, flags.by, (core, stop) =>
        release(core, ids, flags, stop, context),
      );
    });
};

function addFilterOptions(command: Command): Command {
  return command
    .option("--drain <name>", "only what this drain parked")
    .addOption(new Option("--for <reason>", "only what is parked for this reason").choices(parkReasons))
    .option("--host <host>", "only for this destination host; * stands for any part")
    .option("--rule <name>", "only what this rule matches now")
    .option("--failure <id>", "only this kind of failure, as redriver failures lists it");
}

function limitOption(): Option {
  return countOption("--limit <n>", "at most so many, the oldest first");
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

function countsOf(reasons: Iterable<ParkReason>): ReadonlyMap<ParkReason, number> {
  const counts = new Map<ParkReason, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return counts;
}

function checkRelease(ids: readonly string[], flags: ReleaseFlags, { io }: CommandContext): void {
  requireChoice(ids, flags, flags.all === true);
  requireOwnReason(flags.reason);
  requireConsent(io, flags.yes, "a release");
}

/** A release names what it means: everything is never meant by leaving something out. */
function requireChoice(ids: readonly string[], filter: ParkedFilter, all: boolean): void {
  const { drain, for: reason, host, rule, failure } = filter;
  const chooses = [drain, reason, host, rule, failure].some((one) => one !== undefined);
  if (all !== (ids.length > 0 || chooses)) return;
  throw new RedriverError(
    "command-misused",
    "name dead letters or give --drain, --for, --host, --rule or --failure, or --all for everything that is parked, not both",
  );
}

async function release(
  core: Core,
  ids: readonly string[],
  flags: ReleaseFlags,
  stop: Stop,
  { io, exitWith }: CommandContext,
): Promise<void> {
  if (flags.failure !== undefined) await requireFailure(core, core.sources.keys(), flags.failure);
  const { limit = Infinity, ...filter } = flags;
  const report = (summary: object): void => {
    if (flags.json === true) io.out(toJsonLine(summary));
  };
  const oldest = createOldest<FoundParked>(limit);
  await showListed(io, stop, (search) =>
    visitParked(core, { filter, ids, listing: "if-needed" }, search, oldest.add),
  );
  const found = oldest.read();
  const unknown = ids.filter((id) => !found.some(({ dlqId }) => dlqId === id));
  if (unknown.length > 0) {
    io.err(`not parked: ${unknown.join(", ")}\n`);
    exitWith(1);
  }
  if (found.length === 0) {
    io.err("nothing to release\n");
    report({ released: 0, reasons: [], notParked: unknown });
    return;
  }
  const counts = createParkedCount();
  found.forEach(counts.add);
  const chosen = counts.read();
  io.err(toReleaseTable(chosen));
  const { reasons: useless, unknown: notAsked } = await showListed(io, stop, (search) =>
    findUseless(core, found, search),
  );
  for (const [reason, count] of countsOf(useless.values())) {
    io.err(`${count} would only be parked again for ${reason}: ${insteadOfRelease(reason)}\n`);
  }
  if (notAsked !== null) io.err(`whether a release helps could not be found out (${notAsked})\n`);
  // Who names a dead letter means it, whatever is known of it.
  const helped = ids.length > 0 ? found : found.filter((one) => !useless.has(one));
  if (helped.length < found.length) {
    io.err(
      `${found.length - helped.length} are left parked; name them by dlqId to release them all the same\n`,
    );
  }
  if (helped.length === 0) {
    report({ released: 0, reasons: [], notParked: unknown });
    return;
  }
  const question = `Release ${helped.length}? Each is published once more, whatever parked it.`;
  if (!(await hasConsent(io, flags.yes, () => question))) {
    exitWith(3);
    return;
  }
  const released = await releaseFound(core, helped, flags);
  io.err(`released ${released}; the next pass of their drains decides them again\n`);
  const done = createParkedCount();
  helped.forEach(done.add);
  const reasons = done
    .read()
    .reasons()
    .map(({ drain, reason, count }) => ({ drain, reason, count }));
  report({ released, reasons, notParked: unknown });
}
