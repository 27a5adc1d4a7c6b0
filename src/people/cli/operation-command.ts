/** The commands of operations and readings: their arguments, flags and questions follow from the declarations. */
import { Argument, Option, type Command } from "commander";
import { openJobQueue, requireRedis } from "../../job/door.ts";
import { misused } from "../../job/contracts/errors.ts";
import { systemClock } from "../../system-world.ts";
import {
  checkInput,
  checkReason,
  fieldsOf,
  kindOf,
  parseInput,
  toFieldValue,
  wordsOf,
  type OperationCall,
  type FieldFace,
  type FieldSchema,
  type Input,
  type Operation,
} from "../operations/define.ts";
import { toFlag, toOperationLine } from "../operations/command-line.ts";
import type { CommandContext } from "./io.ts";
import { hasConsent, requireConsent, requireReason } from "./input/questions.ts";
import { byOption, timeOption } from "./input/option-values.ts";
import { createStop, withCore, withRedisAndStop } from "./with-core.ts";
import { loadAll, loadNames, loadForReading } from "./load-config.ts";
import { toJsonLine, toJsonText, printSaid } from "./output/print.ts";
import { showListed } from "./output/progress.ts";
import { terminalColumns, wrapWords } from "./output/wrap.ts";
import type { Fields, Given, Reading, ReadingCall } from "../operations/reading.ts";

/** A value of a flag is a text; of an argument also several. */
type Typed = Readonly<Record<string, string | readonly string[] | boolean | undefined>>;

type WithFields = Pick<Operation, "input">;

type Flags = Typed & Readonly<{ reason?: string; by: string; yes?: boolean; json?: boolean }>;

/** Below `parent`: the program, or the command that the operation's first word names. */
export function addOperation(parent: Command, operation: Operation, context: CommandContext): void {
  const { words, about, reasonOf, consentTo } = operation;
  const command = parent.command(words.split(" ").at(-1) ?? words).description(about);
  addFieldsAndExample(command, operation);
  if (reasonOf !== null) {
    command.option("--reason <text>", "why; others read it in the history. Asked for on a terminal");
  }
  if (operation.mayHaveReason === true) {
    command.option("--reason <text>", "why, if there is more to say; others read it in the history");
  }
  command.addOption(byOption("who; default: the current user"));
  if (consentTo !== undefined) command.option("--yes", "do not ask; required without a terminal");
  command.option("--json", "print one JSON object per line");
  command.action(async (...given: readonly unknown[]) => {
    await runOperation(operation, readFields(operation, given), given.at(-2) as Flags, command, context);
  });
}

export function addFieldsAndExample(command: Command, operation: Operation): void {
  addFields(command, operation);
  const { insteadOfReason } = operation;
  if (insteadOfReason !== undefined) {
    command.addOption(
      new Option("--reason <text>").hideHelp().argParser(() => {
        throw misused(insteadOfReason);
      }),
    );
  }
  command.addHelpText("after", `\nExample:\n  ${toOperationLine(operation, operation.example)}`);
}

export function addFields(command: Command, operation: WithFields): void {
  for (const [name, schema, face] of fieldsOf(operation)) {
    if (face.isArgument === true) command.addArgument(toArgument(schema, face));
    else command.addOption(toOption(name, schema, face));
  }
}

/** Of what an action is called with. Throws `command-misused`. */
export function readFields(operation: WithFields, given: readonly unknown[]): Input {
  const flags = given.at(-2) as Flags;
  const values: Record<string, unknown> = {};
  let argument = 0;
  for (const [name, schema, face] of fieldsOf(operation)) {
    // As commander names an option.
    const key = toFlag(name, face)
      .slice(2)
      .replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
    const typed = face.isArgument === true ? (given[argument++] as Typed[string]) : flags[key];
    // What was not typed is missing.
    if (typed === undefined || (Array.isArray(typed) && typed.length === 0)) continue;
    values[name] = typeof typed === "string" ? toFieldValue(schema, typed) : typed;
  }
  return parseInput(operation, values, (name) => toTypedName(operation, name));
}

function toArgument(schema: FieldSchema, { value, about }: FieldFace): Argument {
  const name = kindOf(schema) === "array" ? `${value}...` : value;
  return new Argument(schema.isOptional() ? `[${name}]` : `<${name}>`, about);
}

function toOption(name: string, schema: FieldSchema, face: FieldFace): Option {
  const { value, about, edge } = face;
  if (edge !== undefined) return timeOption(`${toFlag(name, face)} <${value}>`, about, edge);
  const kind = kindOf(schema);
  const option = new Option(toFlag(name, face) + (kind === "boolean" ? "" : ` <${value}>`), about);
  if (kind === "array") option.argParser((one, others?: readonly string[]) => [...(others ?? []), one]);
  const words = wordsOf(schema);
  return words === null ? option : option.choices(words);
}

function toTypedName(operation: WithFields, name: string): string {
  const face = fieldsOf(operation).find(([one]) => one === name)?.[2];
  return face?.isArgument === true ? `<${face.value}>` : toFlag(name, face ?? {});
}

async function runOperation(
  operation: Operation,
  input: Input,
  flags: Flags,
  command: Command,
  { io, exitWith }: CommandContext,
): Promise<void> {
  const { reasonOf, consentTo, afterwards = "", isReading = false } = operation;
  const loaded = (operation.needs === "names" ? loadNames : loadAll)(command, io);
  checkInput(
    operation,
    input,
    loaded.document.drains.map(({ name }) => name),
  );
  const askReason = async (): Promise<string> => {
    const reason =
      reasonOf === null ? (flags.reason?.trim() ?? "") : await requireReason(io, flags.reason, reasonOf);
    checkReason(operation, reason);
    return reason;
  };
  // What is given is judged at once, and a script is told what it lacks.
  if (!io.isTerminal || flags.reason !== undefined) await askReason();
  if (consentTo !== undefined) requireConsent(io, flags.yes, consentTo);
  const { by } = flags;
  await withCore(io, loaded, { by }, async (core, teardown) => {
    const stop = createStop(io, teardown);
    await requireRedis(core);
    const call: Omit<OperationCall<Input>, "reason"> = {
      ...stop,
      core,
      input,
      by,
      isWhole: loaded.problems === 0,
      now: systemClock.now(),
      plans: async () => (await import("./plans/open-desk.ts")).openDesk(core),
      requestSweep: async (source) =>
        (await openJobQueue({ settings: core.settings, teardown })).requestSweep(source),
    };
    const foreseen = await showListed(io, stop, async (search) =>
      operation.foresee?.({ ...call, ...search }),
    );
    // Before anybody types a reason. A script has read the docs, but what it chose is in its log.
    if (io.isTerminal || consentTo !== undefined) {
      for (const text of foreseen?.tells ?? []) io.err(wrapWords(terminalColumns, 0, "", text));
    }
    for (const text of foreseen?.warnings ?? []) printSaid(io, text);
    const reason = await askReason();
    const question = foreseen?.question ?? null;
    if (question !== null && !(await hasConsent(io, flags.yes, () => question))) {
      exitWith(3);
      return;
    }
    for await (const { said, row, isRefused = false } of operation.run(
      { ...call, reason },
      foreseen?.found,
    )) {
      printSaid(io, said);
      if (row !== null && (isReading || flags.json === true)) {
        io.out(flags.json === true ? toJsonLine(row) : toJsonText(row));
      }
      if (isRefused) exitWith(1);
      else if (afterwards !== "" && io.isTerminal) io.err(`${afterwards}\n`);
    }
  });
}

/** Below `parent`, of a reading that has one. Answers it, for flags of its own. */
export function addReading<Shape extends Fields>(
  parent: Command,
  { command: typed, input, ofOperator, needs }: Reading<Shape>,
  context: CommandContext,
  show: (
    call: ReadingCall<Given<Shape>>,
    flags: Readonly<{ json?: boolean; limit?: number; out?: string }>,
  ) => Promise<void>,
): Command {
  // A command calls the service anyway.
  const fields = { input: ofOperator === undefined ? input : input.omit({ [ofOperator]: true } as never) };
  const { words, about } = typed!;
  const isDefault = words.endsWith(" list");
  const command = parent.command(words.split(" ").at(-1) ?? words, { isDefault }).description(about);
  addFields(command, fields);
  command.action(async (...given: readonly unknown[]) => {
    const asked = readFields(fields, given);
    const loaded = (needs === "names" ? loadForReading : loadAll)(command, context.io);
    await withRedisAndStop(loaded, context, async (core, { signal, stopping }) => {
      const call = {
        core,
        input: asked as Given<Shape>,
        isWhole: loaded.problems === 0,
        now: systemClock.now(),
        signal: AbortSignal.any([signal, stopping]),
        plans: async () => (await import("./plans/open-desk.ts")).openDesk(core),
      };
      await show(call, given.at(-2) as object);
    });
  });
  return command;
}
