import { requireRedis } from "../../compose/open-core.ts";
import type { BuiltSource } from "../../compose/build-source.ts";
import type { Core } from "../../compose/build-core.ts";
import { systemClock } from "../../compose/system-world.ts";
import type { DrainName } from "../../ports/ids.ts";
import { recordIntent, type ActOf } from "../../redrive/record-act.ts";
import type { Register } from "../command-context.ts";
import { chooseDrains, requireNamesOrAll } from "../input/choose-drains.ts";
import { currentUser } from "../input/current-user.ts";
import { loadNames } from "../load.ts";
import { withCore } from "../with-core.ts";
import type { Command } from "commander";
import type { Io } from "../io.ts";

export const registerPause: Register = (program, { io }) => {
  program
    .command("pause")
    .description("hold drains back: every replica stops before its next batch")
    .argument("[names...]", "drains of the document")
    .option("--all", "every drain")
    .requiredOption("--reason <text>", "why; shown by status")
    .option("--by <name>", "who; default: the current user", currentUser())
    .action(async (names: string[], flags: ActFlags, command: Command) => {
      await onEach(command, io, names, flags, async ({ runtime, pauses }, drain) => {
        await recordIntent(runtime, "pause", [], toActOf(drain, flags));
        await pauses.pause({ drain, reason: flags.reason, by: flags.by, at: systemClock.now() });
        return "paused";
      });
    });
  program
    .command("resume")
    .description("let paused drains go on")
    .argument("[names...]", "drains of the document")
    .option("--all", "every drain, also those paused by name")
    .requiredOption("--reason <text>", "why; recorded in the audit")
    .option("--by <name>", "who; default: the current user", currentUser())
    .action(async (names: string[], flags: ActFlags, command: Command) => {
      await onEach(command, io, names, flags, async ({ runtime, pauses }, drain) => {
        const paused = await pauses.all();
        await recordIntent(runtime, "resume", [], toActOf(drain, flags));
        if (drain !== "*") {
          const resumed = (await pauses.resume(drain)) ? "resumed" : "was not paused by name";
          const all = paused.find((pause) => pause.drain === "*");
          return all === undefined
            ? resumed
            : `${resumed}, but all drains are paused by ${all.by}: resume --all`;
        }
        for (const pause of paused) await pauses.resume(pause.drain);
        return paused.length > 0 ? "resumed" : "was not paused";
      });
    });
};

interface ActFlags {
  readonly all?: boolean;
  readonly reason: string;
  readonly by: string;
}

function toActOf(drain: DrainName | "*", { reason }: ActFlags): ActOf {
  return { drain: drain === "*" ? null : drain, why: reason };
}

type Act = (source: BuiltSource, drain: DrainName | "*") => Promise<string>;

async function onEach(
  command: Command,
  io: Io,
  names: readonly string[],
  { all = false, by }: ActFlags,
  act: Act,
): Promise<void> {
  requireNamesOrAll(names, all);
  await withCore(io, loadNames(command, io), { by }, async (core) => {
    const targets = all ? allDrains(core) : namedDrains(core, names);
    await requireRedis(core.redis);
    for (const { label, source, drain } of targets) io.err(`${label}: ${await act(source, drain)}\n`);
  });
}

interface Target {
  readonly label: string;
  readonly source: BuiltSource;
  readonly drain: DrainName | "*";
}

function allDrains(core: Core): readonly Target[] {
  return [...core.sources.values()].map((source) => ({
    label: `all drains of source ${source.runtime.config.id}`,
    source,
    drain: "*",
  }));
}

function namedDrains(core: Core, names: readonly string[]): readonly Target[] {
  return chooseDrains(core, names).flatMap(({ config }) => {
    const source = core.sources.get(config.source.id);
    return source === undefined ? [] : [{ label: config.name, source, drain: config.name }];
  });
}
