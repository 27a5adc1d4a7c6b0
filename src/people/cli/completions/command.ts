import { Argument, type Command } from "commander";
import type { Register } from "../command-context.ts";
import { loadNames } from "../load-config.ts";
import { toCommandTable } from "./command-table.ts";
import { completeLine } from "./complete-line.ts";
import { scripts } from "./scripts.ts";

export const registerCompletions: Register = (program, { io, allCommands }) => {
  program
    .command("completions")
    .description("print a shell's completions of commands, options and their words")
    .addArgument(
      new Argument("<shell>", "the shell that reads it; words: what these ask at each TAB").choices([
        ...Object.keys(scripts),
        "words",
      ]),
    )
    .argument("[typed...]", "of words: the line, behind --")
    .action(async (shell: string, typed: readonly string[], _flags: object, command: Command) => {
      if (shell !== "words") {
        io.out(scripts[shell] ?? "");
        return;
      }
      const { words, files, drains } = completeLine(toCommandTable(await allCommands(typed)), typed);
      for (const { name, description } of words) io.out(`${name} ${description}\n`);
      if (drains) for (const { name } of loadNames(command, io).document.drains) io.out(`${name}\n`);
      if (files) io.out(":files\n");
    });
};
