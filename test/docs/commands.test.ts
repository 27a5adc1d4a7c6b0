import { describe, expect, it } from "vitest";
import { errorTable } from "../../src/job/contracts/errors.ts";
import { ask } from "../support/ask.ts";
import { codeSpans, readDoc, tableRows } from "../support/markdown.ts";

const readme = readDoc("README.md");

async function helpOf(command: string): Promise<string> {
  const { out } = await ask([...command.split(" "), "--help"]);
  return out;
}

/** The entries of one part of a help page: they are indented by two, their continued lines by more. */
function entriesOf(help: string, part: "Commands" | "Options"): readonly string[] {
  const lines = help.slice(help.indexOf(`\n${part}:\n`) + 1).split("\n");
  if (lines[0] !== `${part}:`) return [];
  const end = lines.indexOf("");
  return lines
    .slice(1, end === -1 ? undefined : end)
    .flatMap((line) => /^ {2}(\S.*?)(?: {2,}|$)/.exec(line)?.[1] ?? []);
}

/** Every command that does something, by its whole name. */
async function commandsUnder(...names: readonly string[]): Promise<readonly string[]> {
  const { out } = await ask([...names, "--help"]);
  const inner = entriesOf(out, "Commands").flatMap((entry) => entry.split(" ")[0] ?? []);
  if (inner.length === 0) return [names.join(" ")];
  const found = await Promise.all(
    inner.filter((name) => name !== "help").map((name) => commandsUnder(...names, name)),
  );
  return found.flat();
}

const rows = tableRows(readme, ["command", "what it does"]);
const documented = rows.flatMap(([commands = ""]) =>
  codeSpans(commands).flatMap((span) => /^redriver ([a-z]+(?: [a-z]+)*)/.exec(span)?.[1] ?? []),
);

describe("the commands of README", () => {
  it("are those that the command line has, and no others", async () => {
    expect(documented.toSorted()).toEqual((await commandsUnder()).toSorted());
  });

  it.each(documented)("%s explains itself on stdout and exits 0", async (command) => {
    const { exitCode, out, err } = await ask([...command.split(" "), "--help"]);
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
    expect(out).toContain(`Usage: redriver ${command} `);
  });

  it("take the flags that the table names", async () => {
    for (const [commands = "", meaning = ""] of rows) {
      const flags = codeSpans(`${commands} ${meaning}`).filter((span) => span.startsWith("--"));
      for (const span of codeSpans(commands).filter((text) => text.startsWith("redriver "))) {
        const command = span.replace(/^redriver ([a-z ]*[a-z]).*$/, "$1");
        const options = entriesOf(await helpOf(command), "Options").join("\n");
        for (const flag of flags) expect(options, `${command} ${flag}`).toContain(flag);
      }
    }
  });

  it("offer --json, but for those whose output is data already", async () => {
    const withoutJson = [];
    for (const command of documented) {
      const options = entriesOf(await helpOf(command), "Options");
      if (!options.some((option) => /^--json\b/.test(option))) withoutJson.push(command);
    }
    expect(withoutJson.toSorted()).toEqual(["completions", "mcp", "rules schema", "run"]);
  });

  it("end with exit codes that README explains, and with no others", () => {
    const [, text = ""] = /Exit codes: ([^]*?)\n\n/.exec(readme) ?? [];
    const explained = new Set([...text.matchAll(/(?:^|, )\s*(\d+) /gm)].map((match) => Number(match[1])));
    const used = new Set([0, 2, ...Object.values(errorTable).map(({ exitCode }) => exitCode)]);
    expect(explained).toEqual(used);
  });

  it.each([
    { argv: ["drian"], exitCode: 2 },
    { argv: ["status", "--unknown"], exitCode: 2 },
    { argv: ["drain"], exitCode: 2 },
    { argv: ["config", "check", "--drains", "not-there.yaml"], exitCode: 78 },
    { argv: ["config", "check", "--config", "not-there.yaml"], exitCode: 78 },
  ])(
    "keep stdout for data: $argv says what is wrong on stderr and exits $exitCode",
    async ({ argv, exitCode }) => {
      const answer = await ask(argv);
      expect(answer).toMatchObject({ exitCode, out: "" });
      expect(answer.err).not.toBe("");
    },
  );
});

describe("redriver emulator", () => {
  it("has the flags that docs/internals/emulator.md says, with those defaults", async () => {
    const help = await helpOf("emulator");
    const flags = tableRows(readDoc("docs/internals/emulator.md"), ["flag", "default", "meaning"]);
    expect(flags.map(([flag = ""]) => codeSpans(flag)[0])).toEqual(
      entriesOf(help, "Options").filter((option) => !option.startsWith("-h")),
    );
    const oneLine = help.replaceAll(/\s+/g, " ");
    for (const [flag = "", fallback = ""] of flags.filter(([, text]) => text !== "off")) {
      const entry = oneLine.slice(oneLine.indexOf(`${codeSpans(flag)[0]} `));
      const told = /default: "?(.+?)"?\)/.exec(entry)?.[1];
      expect(told, flag).toBe(fallback.replaceAll("`", ""));
    }
  });
});
