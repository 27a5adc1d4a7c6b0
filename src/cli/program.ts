import { Command, CommanderError } from "commander";
import { toExit, type Register } from "./command-context.ts";
import { registerApply } from "./commands/apply.ts";
import { registerArchive } from "./commands/archive.ts";
import { registerConfig } from "./commands/config.ts";
import { registerDemo } from "./commands/demo.ts";
import { registerDrain } from "./commands/drain.ts";
import { registerEmulator } from "./commands/emulator.ts";
import { registerHistory } from "./commands/history.ts";
import { registerIndex } from "./commands/index-stats.ts";
import { registerParked } from "./commands/parked.ts";
import { registerPause } from "./commands/pause.ts";
import { registerPlan } from "./commands/plan.ts";
import { registerRules } from "./commands/rules.ts";
import { registerRun } from "./commands/run.ts";
import { registerStatus } from "./commands/status.ts";
import type { Io } from "./io.ts";
import { version } from "./version.ts";

const commands: readonly Register[] = [
  registerRun,
  registerDrain,
  registerPlan,
  registerApply,
  registerStatus,
  registerPause,
  registerParked,
  registerHistory,
  registerRules,
  registerConfig,
  registerArchive,
  registerIndex,
  registerEmulator,
  registerDemo,
];

/**
 * Runs one command; argv without node and script. Exit codes: 0 everything decided, 1 failed, 2 used wrongly, 3 stopped early
 * with work left, 78 configuration invalid.
 */
export async function runCli(argv: readonly string[], io: Io): Promise<number> {
  let exitCode = 0;
  const program = new Command("redriver")
    .description("Drains the dead letter queue of a hosted HTTP message delivery service, unattended.")
    .version(version)
    .option("--config <file>", "settings file (YAML or JSON); environment and flags outrank it")
    .option("--drains <file>", "the drains document (drains.file, REDRIVER_DRAINS_FILE)")
    .option("--log-level <level>", "log.level, REDRIVER_LOG_LEVEL")
    .showHelpAfterError("(redriver --help shows the commands)")
    .configureOutput({ writeOut: (text) => io.out(text), writeErr: (text) => io.err(text) })
    .exitOverride();
  const context = {
    io,
    exitWith: (code: number) => {
      exitCode = code;
    },
  };
  for (const register of commands) register(program, context);
  for (const command of program.commands) inherit(command);

  try {
    await program.parseAsync(argv, { from: "user" });
    return exitCode;
  } catch (error) {
    // Commander has printed its message: 0 for help and version, else the command line was wrong.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const failure = toExit(error);
    io.err(`redriver: ${failure.message}\n`);
    return failure.exitCode;
  }

  /** Subcommands do not take these over by themselves when they were added to the program. */
  function inherit(command: Command): void {
    command.copyInheritedSettings(program).exitOverride();
    for (const inner of command.commands) inherit(inner);
  }
}
