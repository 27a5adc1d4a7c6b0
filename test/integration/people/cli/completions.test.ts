import { chmodSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { CommandEntry } from "../../../../src/people/cli/completions/command-table.ts";
import { ask } from "../../../support/ask.ts";
import { runChild } from "../../../support/child.ts";
import { commandTable } from "../../../support/command-table.ts";
import { createFolder } from "../../../support/command.ts";
import { isHere } from "../../../support/tools.ts";

const table = await commandTable();

/** A shell's program that prints what it completes each line to, with a line `##` before each. */
type ToProgram = (script: string, lines: readonly (readonly string[])[]) => string;

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

type Shell = "bash" | "zsh" | "fish";
const shells: Readonly<Record<Shell, { readonly args: readonly string[]; readonly toProgram: ToProgram }>> = {
  bash: {
    args: ["--norc", "--noprofile"],
    toProgram: (script, lines) => `source ${script}
complete -p redriver >/dev/null || exit 9
${lines
  .map(
    (words) => `COMP_WORDS=(redriver ${words.map(quoted).join(" ")}); COMP_CWORD=${words.length}
_redriver; echo "##"; printf '%s\\n' "\${COMPREPLY[@]}"`,
  )
  .join("\n")}
`,
  },
  // What the completion system would be told: it runs only under a line editor.
  zsh: {
    args: ["-f"],
    toProgram: (script, lines) => `compdef() { [[ $1 == _redriver && $2 == redriver ]] || exit 9 }
_describe() { local one; for one in \${(P)@[-1]}; do print -r -- "\${one%%:*}"; done }
compadd() { shift; print -rl -- "$@" }
_files() { print -l -- *(N) }
compset() { PREFIX=\${PREFIX#*=} }
source ${script}
${lines
  .map(
    (words) => `words=(redriver ${words.map(quoted).join(" ")}); CURRENT=${words.length + 1}
PREFIX=${quoted(words.at(-1) ?? "")}; print "##"; _redriver`,
  )
  .join("\n")}
`,
  },
  fish: {
    args: ["--no-config"],
    toProgram: (script, lines) => `source ${script}
${lines
  .map(
    (words) =>
      `echo "##"; complete -C ${quoted(`redriver ${words.join(" ")}`)} | string replace -r '\\t.*' ''`,
  )
  .join("\n")}
`,
  },
};

/** What a shell completes each line to; the last word of a line is the one that is typed. */
async function complete(shell: Shell, ...lines: readonly string[]): Promise<readonly (readonly string[])[]> {
  const { out } = await ask(["completions", shell]);
  const folder = createFolder({ completions: out, "a file.yaml": "", "b.yaml": "" });
  const { args, toProgram } = shells[shell] ?? { args: [], toProgram: () => "" };
  const program = folder.write(
    "program",
    toProgram(
      `${folder.path}/completions`,
      lines.map((line) => line.split(" ")),
    ),
  );
  // In the place of the command, which "prints the names of drains" tries.
  const bin = createFolder({
    redriver: '#!/bin/sh\n[ "$1 $2" = "completions drains" ] && printf "orders\\nrefunds\\n"\n',
  });
  chmodSync(`${bin.path}/redriver`, 0o755);
  const env = { PATH: `${bin.path}:${process.env["PATH"]}` };
  const ended = await runChild(shell, [...args, program], { cwd: folder.path, env });
  expect(ended).toMatchObject({ exitCode: expect.any(Number), err: "" });
  const [, ...answers] = ended.out.split(/^##\n/m);
  expect(answers).toHaveLength(lines.length);
  return answers.map((answer) => answer.split("\n").filter((word) => word !== ""));
}

const behind = ({ path }: CommandEntry): string => path.replace(/^redriver ?/, "");
const lineOf = (entry: CommandEntry, word: string): string =>
  [behind(entry), word].filter((part, index) => part !== "" || index === 1).join(" ");

it("prints the names of drains, one a line, also of a document with problems", async () => {
  const text =
    "version: 1\nsources: { default: {} }\ndrains: { orders: { mode: plan }, refunds: { nonsense: 1 } }\n";
  const { path } = createFolder({ "drains.yaml": text });
  const env = { REDRIVER_DRAINS_FILE: `${path}/drains.yaml`, REDRIVER_SERVICE_TOKEN: "t" };
  expect(await ask(["completions", "drains"], env)).toMatchObject({ exitCode: 0, out: "orders\nrefunds\n" });
});

describe.each(Object.keys(shells) as readonly Shell[])("redriver completions %s", (shell) => {
  const isMissing = !isHere(shell);

  it.skipIf(isMissing)("offers every command, option and choice of the table", async () => {
    const commands = table.filter(({ words }) => words.length > 0);
    const offered = await complete(shell, ...commands.map((entry) => lineOf(entry, "")));
    for (const [index, entry] of commands.entries()) {
      expect(offered[index], entry.path).toEqual(expect.arrayContaining(entry.words.map(({ name }) => name)));
    }

    const options = await complete(shell, ...table.map((entry) => lineOf(entry, "--")));
    for (const [index, entry] of table.entries()) {
      const long = entry.options.flatMap(({ names }) => names.filter((name) => name.startsWith("--")));
      expect(options[index]?.toSorted(), entry.path).toEqual(expect.arrayContaining(long));
    }

    const choices = table.flatMap((entry) =>
      entry.options.flatMap(({ names, value }) =>
        Array.isArray(value) ? [{ line: lineOf(entry, `${names.at(-1)} `), value: value as string[] }] : [],
      ),
    );
    expect(choices.length).toBeGreaterThan(5);
    const values = await complete(shell, ...choices.map(({ line }) => line));
    expect(values.map((words) => words.toSorted())).toEqual(choices.map(({ value }) => value.toSorted()));
  });

  it.skipIf(isMissing)("knows the command behind options and their values", async () => {
    const [list, inDrain, begun, shellNames, common, ofNoValue] = await complete(
      shell,
      "--drains a.yaml lanes l",
      "parked list --drain release --fo",
      "parked list --for body-n",
      "completions ",
      "rules check --dra",
      "plan --limit ",
    );
    expect(list).toContain("list");
    expect(inDrain).toContain("--for");
    expect(begun?.every((word) => shell === "zsh" || word.startsWith("body-n"))).toBe(true);
    expect(begun).toContain("body-numbers");
    expect(shellNames).toEqual(expect.arrayContaining(["bash", "zsh", "fish"]));
    expect(common).toContain("--drains");
    expect(ofNoValue).toEqual([]);
  });

  it.skipIf(isMissing)(
    "offers the drains of the document where one is meant, and acts of the audit",
    async () => {
      const [drains, ofOption, acts] = await complete(shell, "pause ", "history --drain ", "history --act ");
      expect(drains).toEqual(expect.arrayContaining(["orders", "refunds"]));
      expect(ofOption).toEqual(["orders", "refunds"]);
      expect(acts).toEqual(expect.arrayContaining(["pause", "lane-probe"]));
    },
  );

  it.skipIf(isMissing)("offers files where a file is meant", async () => {
    const [value, argument, none] = await complete(shell, "plan --out ", "rules check b", "pause b");
    const files = value?.map((word) => word.replaceAll("\\", ""));
    expect(files).toEqual(expect.arrayContaining(["a file.yaml", "b.yaml"]));
    expect(argument).toContain("b.yaml");
    expect(none).not.toContain("b.yaml");
  });
});

it("completes what stands behind = in bash, which takes it for a word", async () => {
  const [empty, begun] = await complete("bash", "rules check --format =", "rules check --format = gi");
  expect(empty).toEqual(["github"]);
  expect(begun).toEqual(["github"]);
});

it("has no option that takes a value in one command and none in another", () => {
  const options = table.flatMap((entry) => entry.options);
  const namesOf = (takesValue: boolean) =>
    options.filter(({ value }) => (value !== null) === takesValue).flatMap(({ names }) => names);
  expect(namesOf(true).filter((name) => namesOf(false).includes(name))).toEqual([]);
});

it("ends with 2 for another shell", async () => {
  expect(await ask(["completions", "tcsh"])).toMatchObject({ exitCode: 2, out: "" });
});
