import { Command, CommanderError, type Option } from "commander";
import { misused } from "../../job/contracts/errors.ts";
import { askedCommand } from "./asked-command.ts";
import type { CommandContext, Register, ProcessIo } from "./io.ts";
import { toExit } from "./exit-of-error.ts";
import { withLineBelow } from "./output/line-below-output.ts";
import { firstWordOf, loadOperation, operationFiles } from "../operations/load-operations.ts";
import { versionText } from "./version.ts";

const actFiles = operationFiles();

const loadDevelopment = async (name: "emulator" | "demo"): Promise<Register> =>
  (await import("./development-commands.ts")).loadDevelopmentCommand(name);

/** As help lists them. Each part is loaded only if one of its commands is asked for, so a start stays fast. */
const parts: readonly { readonly names: readonly string[]; readonly load: () => Promise<Register> }[] = [
  { names: ["doctor"], load: async () => (await import("./doctor/command.ts")).registerDoctor },
  { names: ["run"], load: async () => (await import("./run/command.ts")).registerRun },
  { names: ["drain"], load: async () => (await import("./drain/command.ts")).registerDrain },
  { names: ["plan"], load: async () => (await import("./plan/command.ts")).registerPlan },
  { names: ["apply"], load: async () => (await import("./apply/command.ts")).registerApply },
  { names: ["plans"], load: async () => (await import("./plans/command.ts")).registerPlans },
  { names: ["status"], load: async () => (await import("./status/command.ts")).registerStatus },
  ...actFiles
    .filter((file) => !file.includes("-"))
    .map((file) => ({ names: [firstWordOf(file)], load: () => Promise.resolve(() => undefined) })),
  { names: ["lanes"], load: async () => (await import("./lanes/command.ts")).registerLanes },
  { names: ["parked"], load: async () => (await import("./parked/command.ts")).registerParked },
  { names: ["failures"], load: async () => (await import("./failures/command.ts")).registerFailures },
  { names: ["history"], load: async () => (await import("./history/command.ts")).registerHistory },
  { names: ["report"], load: async () => (await import("./report/command.ts")).registerReport },
  { names: ["rules"], load: async () => (await import("./rules/command.ts")).registerRules },
  { names: ["config"], load: async () => (await import("./config/command.ts")).registerConfig },
  { names: ["archive"], load: async () => (await import("./archive/command.ts")).registerArchive },
  { names: ["index"], load: async () => (await import("./index-stats/command.ts")).registerIndex },
  { names: ["mcp"], load: async () => (await import("./mcp/command.ts")).registerMcp },
  { names: ["notify"], load: async () => (await import("./notify/command.ts")).registerNotify },
  {
    names: ["completions"],
    load: async () => (await import("./completions/command.ts")).registerCompletions,
  },
  { names: ["emulator"], load: () => loadDevelopment("emulator") },
  { names: ["demo"], load: () => loadDevelopment("demo") },
];

/** All of them for help, and for a word that is no command: the nearest name is searched among all. */
function partsFor(argv: readonly string[]): typeof parts {
  if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-V")) return [];
  const asked = askedCommand(argv);
  const found = parts.filter(({ names }) => names.some((name) => name === asked));
  return found.length === 0 ? parts : found;
}

/**
 * Runs one command; argv without node and script. Exit codes: 0 everything decided, 1 failed, 2 used wrongly,
 * 3 stopped early with work left, 78 configuration invalid.
 */
export async function runCli(argv: readonly string[], world: ProcessIo): Promise<number> {
  const io = withLineBelow(world);
  let exitCode = 0;
  const context: CommandContext = {
    io,
    exitWith: (code) => {
      exitCode = code;
    },
    runCommand: runCli,
    allCommands: (line) => createProgram(partsFor(line), context),
  };
  const program = await createProgram(partsFor(argv), context);
  try {
    await program.parseAsync(argv, { from: "user" });
    return exitCode;
  } catch (error) {
    io.line(null);
    // Commander has printed its message: 0 for help and version, else the command line was wrong.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const failure = toExit(error);
    io.err(`redriver: ${failure.message}\n`);
    return failure.exitCode;
  }
}

export function createWholeProgram(context: CommandContext): Promise<Command> {
  return createProgram(parts, context);
}

async function createProgram(chosen: typeof parts, context: CommandContext): Promise<Command> {
  const { io } = context;
  const program = new Command("redriver")
    .description("Drains the dead letter queue of a hosted HTTP message delivery service, unattended.")
    .version(versionText())
    .option("--config <file>", "settings file (YAML or JSON); environment and flags outrank it")
    .option("--drains <file>", "the drains document (drains.file, REDRIVER_DRAINS_FILE)")
    .option("--log-level <level>", "log.level, REDRIVER_LOG_LEVEL")
    .option("--verbose", "say on stderr which process answered (socket.path, REDRIVER_SOCKET_PATH)")
    .showHelpAfterError("(redriver --help shows the commands)")
    .configureOutput({ writeOut: (text) => io.out(text), writeErr: (text) => io.err(text) })
    .exitOverride();
  for (const { names, load } of chosen) {
    const register = await load();
    register(program, context);
    for (const file of actFiles.filter((one) => names.includes(firstWordOf(one)))) {
      const { addOperation } = await import("./operation-command.ts");
      const parent = program.commands.find((one) => one.name() === firstWordOf(file)) ?? program;
      const operation = await loadOperation(file);
      if (operation.hasOwnCommand !== true) addOperation(parent, operation, context);
    }
  }
  for (const command of program.commands) inherit(command);
  return program;

  /** Subcommands do not take these over by themselves when they were added to the program. */
  function inherit(command: Command): void {
    command.copyInheritedSettings(program).exitOverride();
    refuseTwice(command);
    for (const inner of command.commands) inherit(inner);
  }
}

/** The first value of two would be dropped without a word: the host that a person meant to pause as well. */
function refuseTwice(command: Command): void {
  const given = new Set<Option>();
  for (const option of command.options.filter(({ required }) => required)) {
    command.on(`option:${option.name()}`, () => {
      const takesSeveral = Array.isArray(command.getOptionValue(option.attributeName()));
      if (given.has(option) && !takesSeveral)
        throw misused(`${option.long ?? option.flags} is given twice: it takes one value`);
      given.add(option);
    });
  }
}
