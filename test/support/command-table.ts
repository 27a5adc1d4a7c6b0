import type { Command } from "commander";
import { commandsBelow } from "../../src/people/cli/completions/command.ts";
import { createWholeProgram } from "../../src/people/cli/program.ts";
import { withLineBelow } from "../../src/people/cli/output/line-below-output.ts";
import { processIo } from "../../src/people/cli/io.ts";

export function wholeProgram(): Promise<Command> {
  const context = {
    io: withLineBelow(processIo),
    exitWith: () => undefined,
    runCommand: () => Promise.resolve(0),
    allCommands: () => createWholeProgram(context),
  };
  return createWholeProgram(context);
}

interface Entry {
  /** The words behind `redriver`. */
  readonly words: readonly string[];
  readonly command: Command;
}

/** Every command as help shows it, with `help` of each. */
export function entriesOf(command: Command, words: readonly string[] = []): readonly Entry[] {
  const below = commandsBelow(command).flatMap((one) => entriesOf(one, [...words, one.name()]));
  return [{ words, command }, ...below];
}

/** Those that do something. */
export async function commandsThatAct(): Promise<
  readonly { readonly name: string; readonly hasJson: boolean }[]
> {
  return entriesOf(await wholeProgram())
    .filter(({ words, command }) => commandsBelow(command).length === 0 && words.at(-1) !== "help")
    .map(({ words, command }) => {
      return { name: words.join(" "), hasJson: command.options.some(({ long }) => long === "--json") };
    });
}
