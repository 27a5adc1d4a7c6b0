import { Argument, type Command } from "commander";
import type { Register } from "../command-context.ts";
import { loadNames } from "../load-config.ts";
import { toBash } from "./bash.ts";
import { toCommandTable, type CommandEntry } from "./command-table.ts";
import { toFish } from "./fish.ts";
import { toZsh } from "./zsh.ts";

const writers: Readonly<Record<string, (table: readonly CommandEntry[]) => string>> = {
  bash: toBash,
  zsh: toZsh,
  fish: toFish,
};

export const registerCompletions: Register = (program, { io, allCommands }) => {
  program
    .command("completions")
    .description("print a shell's completions of commands, options and their words")
    .addArgument(
      new Argument("<shell>", "the shell that reads it; drains: what these complete with").choices([
        ...Object.keys(writers),
        "drains",
      ]),
    )
    .action(async (shell: string, _flags: object, command: Command) => {
      if (shell === "drains") {
        for (const { name } of loadNames(command, io).document.drains) io.out(`${name}\n`);
        return;
      }
      io.out(writers[shell]?.(toCommandTable(await allCommands())) ?? "");
    });
};
