import { Option, type Command } from "commander";
import { requireRedis } from "../../../job/door.ts";
import { defined } from "../../../job/message/defined.ts";
import type { DestinationName } from "../../../job/message/destination-names.ts";
import type { DrainName } from "../../../job/contracts/ids.ts";
import type { Register } from "../command-context.ts";
import { requireNamesOrAll, unknownDrain } from "../../operations/choose-drains.ts";
import { currentUser } from "../input/current-user.ts";
import { durationOption, hostOption, textOf } from "../input/option-values.ts";
import { requireReason } from "../input/reason.ts";
import { loadNames } from "../load-config.ts";
import { toJsonLine } from "../output/json.ts";
import { printSaid } from "../output/print.ts";
import { withCore } from "../with-core.ts";
import type { Io } from "../io.ts";
import { pause, resume } from "../../operations/pauses/acts.ts";
import { onEachTarget, type PauseAct } from "../../operations/pauses/on-each-target.ts";

type ActFlags = Readonly<{
  all?: boolean;
  host?: DestinationName;
  failure?: string;
  for?: number;
  reason?: string;
  by: string;
  json?: boolean;
}>;

export const registerPause: Register = (program, { io }) => {
  const pausing = program
    .command("pause")
    .description("hold drains or one destination back: every replica obeys before its next batch")
    .argument("[names...]", "drains of the document")
    .option("--all", "every drain")
    .addOption(
      hostOption("--host <host>", "only what goes there: a host, host:port, an origin or queue:<name>"),
    )
    .addOption(failureOption("only this kind of failure, as redriver failures lists it"))
    .addOption(durationOption("--for <time>", "it ends by itself after so long: 30m, 2h"))
    .option("--reason <text>", "why; shown by status. Asked for on a terminal");
  const resuming = program
    .command("resume")
    .description("let paused drains or a paused destination go on")
    .argument("[names...]", "drains of the document")
    .option("--all", "every drain, also those paused by name")
    .addOption(
      hostOption("--host <host>", "the pauses of this destination, also of its single ports and origins"),
    )
    .addOption(failureOption("the pauses of this kind of failure"))
    .option("--reason <text>", "why; recorded in the audit. Asked for on a terminal");
  for (const [command, what, act] of [
    [pausing, "a pause", pause],
    [resuming, "a resume", resume],
  ] as const) {
    command
      .option("--by <name>", "who; default: the current user", currentUser())
      .option("--json", "print one JSON object per line")
      .action((names: string[], flags: ActFlags) => onEach(command, io, names, flags, { what, act }));
  }
};

/** Not of other failures: these are many kinds, and no record says that it is one of them. */
function failureOption(description: string): Option {
  return new Option("--failure <id>", description)
    .conflicts("host")
    .argParser(textOf((text) => /^[0-9a-f]{10}$/.test(text), "the ten hex digits of a kind of failure"));
}

async function onEach(
  command: Command,
  io: Io,
  names: readonly string[],
  flags: ActFlags,
  { what, act }: { readonly what: string; readonly act: PauseAct },
): Promise<void> {
  const { all = false, by, host, failure, for: forMs, json = false } = flags;
  // A destination or a failure is meant in every drain, if none is named.
  if ((host ?? failure) === undefined || all) requireNamesOrAll(names, all);
  const loaded = loadNames(command, io);
  // Before anybody types a reason.
  const known = loaded.document.drains.map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name as DrainName));
  if (unknown !== undefined) throw unknownDrain(unknown, known);
  const reason = await requireReason(io, flags.reason, what);
  await withCore(io, loaded, { by }, async (core) => {
    await requireRedis(core);
    const order = { names, reason, by, ...defined({ host, failure, forMs }) };
    for await (const { line, ...done } of onEachTarget(core, order, act)) {
      printSaid(io, line);
      if (json) io.out(toJsonLine(done));
    }
  });
}
