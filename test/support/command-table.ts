import { toCommandTable, type CommandEntry } from "../../src/people/cli/completions/command.ts";
import { createWholeProgram } from "../../src/people/cli/program.ts";
import { withLineBelow } from "../../src/people/cli/output/line-below-output.ts";
import { processIo } from "../../src/people/cli/io.ts";

/** Every command as help shows it, with `help` of each. */
export async function commandTable(): Promise<readonly CommandEntry[]> {
  const context = {
    io: withLineBelow(processIo),
    exitWith: () => undefined,
    runCommand: () => Promise.resolve(0),
    allCommands: () => createWholeProgram(context),
  };
  return toCommandTable(await createWholeProgram(context));
}

/** Names of the commands that do something, without the word `redriver`. */
export function commandsThatAct(table: readonly CommandEntry[]): readonly string[] {
  const isGroup = (path: string): boolean => table.some((entry) => entry.path.startsWith(`${path} `));
  return table
    .map(({ path }) => path)
    .filter((path) => !isGroup(path) && !path.endsWith(" help"))
    .map((path) => path.slice("redriver ".length));
}
