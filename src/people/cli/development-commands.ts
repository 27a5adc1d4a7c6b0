import { existsSync } from "node:fs";
import type { Command } from "commander";
import { parseUrl } from "../../job/message/destination-url.ts";
import { misused } from "../../job/contracts/errors.ts";
import { parseDuration } from "../../job/rules/durations.ts";
import type { CommandContext, Register } from "./io.ts";
import { numberOf, textOf } from "./input/option-values.ts";
import { toJsonLine } from "./output/print.ts";
import { toFieldsText } from "./output/fields-text.ts";
import { terminalColumns, wrapWords } from "./output/wrap.ts";

/** Beside `dist`, or the sources themselves. The production image has neither (Dockerfile). */
const places = ["../../../dist-dev/commands/commands.js", "../../../dev/commands/commands.ts"];

type Named = "registerEmulator" | "registerDemo";

/** `emulator` or `demo`, of a folder that imports nothing of this one: what it needs is lent. */
export async function loadDevelopmentCommand(name: "emulator" | "demo"): Promise<Register> {
  const isSource = import.meta.url.endsWith(".ts");
  const place = new URL(places[isSource ? 1 : 0] ?? "", import.meta.url);
  if (!existsSync(place)) return (program) => registerAbsent(program, name);
  const commands = (await import(place.href)) as Record<Named, (program: Command, lent: Lent) => void>;
  const register = commands[name === "emulator" ? "registerEmulator" : "registerDemo"];
  return (program, context) => register(program, lend(context));
}

type Lent = ReturnType<typeof lend>;

function lend({ io, exitWith }: CommandContext) {
  return {
    io,
    exitWith,
    misused: (message: string, cause: unknown) => misused(message, { cause }),
    input: { numberOf, textOf, parseDuration, parseUrl },
    output: {
      toJsonLine,
      toFieldsText: (fields: object) => toFieldsText(Infinity, fields, 0),
      toParagraph: (mark: string, text: string) => wrapWords(terminalColumns, 0, mark, text),
    },
  };
}

/** Not in help: it does nothing here. */
function registerAbsent(program: Command, name: string): void {
  program
    .command(name, { hidden: true })
    .argument("[any...]")
    .allowUnknownOption()
    .action(() => {
      throw misused(
        `expected a checkout or the development image (--target dev), which have the ${name}; this program has not`,
      );
    });
}
