import { requireRedis } from "../../compose/open-core.ts";
import type { BuiltSource } from "../../compose/build-source.ts";
import { systemClock } from "../../compose/system-world.ts";
import type { DrainName } from "../../ports/ids.ts";
import { recordIntent, type ActOf } from "../../redrive/write-audit.ts";
import type { Register } from "../command-context.ts";
import { chooseDrains, requireNamesOrAll } from "../input/choose-drains.ts";
import { currentUser } from "../input/current-user.ts";
import { loadNames } from "../load-config.ts";
import { withCore } from "../with-core.ts";
import type { Command } from "commander";
import type { Io } from "../io.ts";

export const registerPause: Register = (program, { io }) => {
  register("pause", "hold drains back: every replica stops before its next batch", {
    all: "every drain",
    reason: "why; shown by status",
    act: async ({ runtime, pauses }, drain, flags) => {
      await recordIntent(runtime, "pause", [], toActOf(drain, flags));
      await pauses.pause({ drain, reason: flags.reason, by: flags.by, at: systemClock.now() });
      return "paused";
    },
  });
  register("resume", "let paused drains go on", {
    all: "every drain, also those paused by name",
    reason: "why; recorded in the audit",
    act: async ({ runtime, pauses }, drain, flags) => {
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
    },
  });

  function register(
    name: string,
    description: string,
    { all, reason, act }: { readonly all: string; readonly reason: string; readonly act: Act },
  ): void {
    program
      .command(name)
      .description(description)
      .argument("[names...]", "drains of the document")
      .option("--all", all)
      .requiredOption("--reason <text>", reason)
      .option("--by <name>", "who; default: the current user", currentUser())
      .action((names: string[], flags: ActFlags, command: Command) => onEach(command, io, names, flags, act));
  }
};

type ActFlags = Readonly<{ all?: boolean; reason: string; by: string }>;

function toActOf(drain: DrainName | "*", { reason: why }: ActFlags): ActOf {
  return { drain: drain === "*" ? null : drain, why };
}

type Act = (source: BuiltSource, drain: DrainName | "*", flags: ActFlags) => Promise<string>;

async function onEach(
  command: Command,
  io: Io,
  names: readonly string[],
  flags: ActFlags,
  act: Act,
): Promise<void> {
  const { all = false, by } = flags;
  requireNamesOrAll(names, all);
  await withCore(io, loadNames(command, io), { by }, async (core) => {
    const sources = [...core.sources.values()];
    const targets = all
      ? sources.map((source) => [`all drains of source ${source.runtime.config.id}`, source, "*"] as const)
      : chooseDrains(core, names).flatMap(({ config: { name, source } }) =>
          sources
            .filter(({ runtime }) => runtime.config.id === source.id)
            .map((built) => [name, built, name] as const),
        );
    await requireRedis(core.redis);
    for (const [label, source, drain] of targets) io.err(`${label}: ${await act(source, drain, flags)}\n`);
  });
}
