/** Two tables of docs/commands.md are written from the commands and operations: `npx vitest run test/docs/commands.test.ts -u`. */
import { describe, expect, it } from "vitest";
import { errorTable } from "../../src/job/contracts/errors.ts";
import { fieldsOf, type Operation } from "../../src/people/operations/define.ts";
import { operations } from "../../src/people/operations/operations.ts";
import { runHere as ask } from "../support/cli.ts";
import { readDoc } from "../support/markdown.ts";

const page = readDoc("docs/commands.md");

async function helpOf(command: string): Promise<string> {
  const { out } = await ask([...command.split(" "), "--help"]);
  return out;
}

interface Entry {
  /** With what it takes, as `list [options] <id>`. */
  readonly entry: string;
  readonly about: string;
}

/** The entries of one part of a help page: they are indented by two, their continued lines by more. */
function entriesOf(help: string, part: "Commands" | "Options"): readonly Entry[] {
  const [, text = ""] = help.split(`\n${part}:\n`);
  const lines = text
    .split("\n\n")[0]!
    .replaceAll(/\n {3,}/g, " ")
    .split("\n");
  return lines.flatMap((line) => {
    const [, entry, about = ""] = /^ {2}(\S.*?)(?: {2,}(.*))?$/.exec(line) ?? [];
    return entry === undefined ? [] : [{ entry, about }];
  });
}

/** Every command that does something, by its whole name. */
async function commandsUnder(...names: readonly string[]): Promise<readonly Entry[]> {
  const entries = entriesOf(await helpOf(names.join(" ")), "Commands");
  const found = await Promise.all(
    entries.map(async ({ entry, about }) => {
      const [name = ""] = entry.split(" ");
      if (name === "help") return [];
      const inner = await commandsUnder(...names, name);
      const whole = [...names, entry].join(" ").replace(" [options]", "");
      return inner.length > 0 ? inner : [{ entry: whole, about }];
    }),
  );
  return found.flat();
}

const commands = await commandsUnder();
const names = commands.map(({ entry }) => entry.replace(/ [[<].*/, ""));

function toActRow(operation: Operation): string {
  const { words, role, reasonOf, path } = operation;
  const fields = fieldsOf(operation).map(([name]) => `\`${name}\``);
  const needs = `${role}${reasonOf === null ? "" : ", a reason"}`;
  return `| \`${words}\` | ${needs} | \`POST ${path.replaceAll(/:(\w+)/g, "{$1}")}\` | ${fields.join(", ")} |\n`;
}

/** The page with its two tables as they are now. */
function written(): string {
  const rows = commands.map(({ entry, about }) => `| \`${entry}\` | ${about.replaceAll("|", "\\|")} |\n`);
  const tables: readonly (readonly [string, string])[] = [
    ["command | what it does", `|---|---|\n${rows.join("")}`],
    ["act | needs | API | fields", `|---|---|---|---|\n${operations.map(toActRow).join("")}`],
  ];
  return tables.reduce(
    (text, [head, table]) =>
      text.replace(new RegExp(`(\\| ${head.replaceAll("|", "\\|")} \\|\n)(?:\\|.*\n)*`), `$1${table}`),
    page,
  );
}

describe("docs/commands.md", () => {
  it("has every command and every act of a person", async () => {
    await expect(written()).toMatchFileSnapshot("../../docs/commands.md");
  });

  it("explains the exit codes that commands end with, and no others", () => {
    const [, text = ""] = /Exit codes: ([^]*?)\n\n/.exec(page) ?? [];
    const explained = new Set([...text.matchAll(/(?:^|, )\s*(\d+) /gm)].map((match) => Number(match[1])));
    expect(explained).toEqual(new Set([0, 2, ...Object.values(errorTable).map(({ exitCode }) => exitCode)]));
  });
});

describe("commands", () => {
  it.each(names)("%s explains itself on stdout and exits 0", async (command) => {
    const { exitCode, out, err } = await ask([...command.split(" "), "--help"]);
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
    expect(out).toContain(`Usage: redriver ${command} `);
  });

  it("offer --json, but for those whose output is data already", async () => {
    const withoutJson = [];
    for (const command of names) {
      const options = entriesOf(await helpOf(command), "Options");
      if (!options.some(({ entry }) => /^--json\b/.test(entry))) withoutJson.push(command);
    }
    expect(withoutJson.toSorted()).toEqual(["completions", "mcp", "rules schema", "run"]);
  });

  it.each([
    { argv: ["drian"], exitCode: 2 },
    { argv: ["drain"], exitCode: 2 },
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
