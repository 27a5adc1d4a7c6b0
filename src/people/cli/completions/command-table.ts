/** The commands as help lists them, as plain data. */
import type { Command, Option } from "commander";

export interface Word {
  readonly name: string;
  readonly description: string;
}

/** What completes a value: a file, a drain of the document, one of these words, or nothing that is known beforehand. */
export type ValueKind = "file" | "drain" | "unknown" | readonly string[];

export interface OptionEntry {
  /** `-h` and `--help`. */
  readonly names: readonly string[];
  readonly description: string;
  /** Null: the option takes no value. */
  readonly value: ValueKind | null;
}

export interface CommandEntry {
  /** As it is typed: `redriver lanes probe`; `redriver` for no command at all. */
  readonly path: string;
  /** Commands below it, and words that its arguments may be. */
  readonly words: readonly Word[];
  readonly options: readonly OptionEntry[];
  /** An argument of it is a file. */
  readonly takesFile: boolean;
  /** An argument of it names drains. */
  readonly takesDrains: boolean;
}

/** Each command has also the options of the program: they may stand behind it. */
export function toCommandTable(program: Command): readonly CommandEntry[] {
  const common = program.options.filter((option) => option.long !== "--version").map(toOption);
  return toEntries(program, program.name(), []);

  function toEntries(
    command: Command,
    path: string,
    inherited: readonly OptionEntry[],
  ): readonly CommandEntry[] {
    const help = command.createHelp();
    const below = help.visibleCommands(command);
    const choices = command.registeredArguments.flatMap(({ argChoices = [], description }) =>
      argChoices.map((name) => ({ name, description })),
    );
    const entry: CommandEntry = {
      path,
      words: [...below.map((one) => ({ name: one.name(), description: one.description() })), ...choices],
      options: [...help.visibleOptions(command).map(toOption), ...inherited],
      takesFile: command.registeredArguments.some((argument) => isFile(argument.name())),
      takesDrains: command.registeredArguments.some((argument) => argument.name() === "names"),
    };
    // Commander makes the command `help` up: it has none below it.
    const entries = below.flatMap((one) => toEntries(one, `${path} ${one.name()}`, common));
    return [entry, ...entries];
  }
}

function toOption({ short, long, description, flags, required, optional, argChoices }: Option): OptionEntry {
  const placeholder = /[<[]([\w-]+)/.exec(flags)?.[1] ?? "";
  const known = long === "--drain" ? "drain" : isFile(placeholder) ? "file" : "unknown";
  const value: ValueKind = argChoices ?? known;
  return {
    names: [short, long].filter((name) => name !== undefined),
    description,
    value: required || optional ? value : null,
  };
}

const namesOfFiles: ReadonlySet<string> = new Set(["file", "files", "path", "plan", "record"]);

function isFile(name: string): boolean {
  return namesOfFiles.has(name);
}
