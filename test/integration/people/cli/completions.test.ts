import { chmodSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Option } from "commander";
import { commandsBelow, completeLine, optionsOf } from "../../../../src/people/cli/completions/command.ts";
import { runHere as ask } from "../../../support/cli.ts";
import { runChild } from "../../../support/child.ts";
import { entriesOf, wholeProgram } from "../../../support/command-table.ts";
import { createFolder } from "../../../support/command.ts";
import { isHere } from "../../../support/tools.ts";

const program = await wholeProgram();
const entries = entriesOf(program);
const namesOf = (...typed: readonly string[]) => completeLine(program, typed).words.map(({ name }) => name);
const namesOfOption = ({ short, long }: Option) => [short, long].filter((name) => name !== undefined);

describe("what may stand at the end of a line", () => {
  it("is every command, option and choice", () => {
    for (const { words, command } of entries) {
      const below = commandsBelow(command).map((one) => one.name());
      expect(namesOf(...words, "")).toEqual(expect.arrayContaining(below));
      const options = optionsOf(program, command);
      expect(namesOf(...words, "-")).toEqual(options.flatMap(namesOfOption));
      for (const option of options) {
        if (!option.required && !option.optional) continue;
        const found = completeLine(program, [...words, option.long ?? "", ""]);
        expect(found.words.map(({ name }) => name)).toEqual(option.argChoices ?? []);
        expect(found.drains).toBe(option.long === "--drain");
        expect(found.files).toBe(/<(file|path|record|plan)>/.test(option.flags));
      }
    }
  });

  it("is of the command behind options and their values", () => {
    expect(namesOf("--drains", "a.yaml", "lanes", "l")).toContain("list");
    expect(namesOf("parked", "list", "--drain", "release", "--fo")).toContain("--for");
    expect(namesOf("history", "--act", "")).toEqual(expect.arrayContaining(["pause", "lane-probe"]));
    expect(namesOf("rules", "check", "--format", "=", "gi")).toEqual(["github"]);
    expect(namesOf("rules", "check", "--format=gi")).toEqual(["--format=github"]);
    expect(namesOf("plan", "--limit", "")).toEqual([]);
    expect(completeLine(program, ["rules", "check", "b"]).files).toBe(true);
    expect(completeLine(program, ["pause", "b"])).toMatchObject({ files: false, drains: true });
  });
});

it("a shell is told words with what they mean, drains also of a document with problems, and of files", async () => {
  const text =
    "version: 1\nsources: { default: {} }\ndrains: { orders: { mode: plan }, refunds: { nonsense: 1 } }\n";
  const { path } = createFolder({ "drains.yaml": text });
  const env = { REDRIVER_DRAINS_FILE: `${path}/drains.yaml`, REDRIVER_SERVICE_TOKEN: "t" };
  const toldOf = async (...typed: readonly string[]) =>
    (await ask(["completions", "words", "--", ...typed], env)).out;
  expect(await toldOf("history", "--drain", "")).toBe("orders\nrefunds\n");
  expect(await toldOf("lanes", "")).toContain("\nprobe ");
  expect(await toldOf("plan", "--out", "")).toBe(":files\n");
  expect(await ask(["completions", "tcsh"])).toMatchObject({ exitCode: 2, out: "" });
});

/** Each prints what it completes `redriver lanes l` and then `redriver plan ''` to, with a line `##` before each. */
const programs: Readonly<Record<string, string>> = {
  bash: `source SCRIPT
complete -p redriver >/dev/null || exit 9
COMP_WORDS=(redriver lanes l); COMP_CWORD=2; _redriver; echo "##"; printf '%s\\n' "\${COMPREPLY[@]}"
COMP_WORDS=(redriver plan ""); COMP_CWORD=2; _redriver; echo "##"; printf '%s\\n' "\${COMPREPLY[@]}"
`,
  // What the completion system would be told: it runs only under a line editor.
  zsh: `compdef() { [[ $1 == _redriver && $2 == redriver ]] || exit 9 }
_describe() { local one; for one in \${(P)2}; do print -r -- "\${one%%:*}"; done }
_files() { print -l -- *(N) }
source SCRIPT
words=(redriver lanes l); CURRENT=3; print "##"; _redriver
words=(redriver plan ""); CURRENT=3; print "##"; _redriver
`,
  fish: `source SCRIPT
echo "##"; complete -C "redriver lanes l" | string replace -r '\\t.*' ''
echo "##"; complete -C "redriver plan " | string replace -r '\\t.*' ''
`,
};
const args: Readonly<Record<string, readonly string[]>> = {
  bash: ["--norc", "--noprofile"],
  zsh: ["-f"],
  fish: ["--no-config"],
};

it.each(["bash", "zsh", "fish"] as const)(
  "%s asks with the words of its line, and offers what it is told",
  async (shell) => {
    if (!isHere(shell)) return;
    const { out } = await ask(["completions", shell]);
    const folder = createFolder({ completions: out, "a file.yaml": "" });
    const program = folder.write(
      "program",
      (programs[shell] ?? "").replace("SCRIPT", `${folder.path}/completions`),
    );
    const bin = createFolder({
      redriver: `#!/bin/sh
for word in "$@"; do printf '<%s>' "$word" >> ${folder.path}/asked; done
printf 'list all: of them\\nlook at one\\n'
[ "$4" = plan ] && echo :files
exit 0
`,
    });
    chmodSync(`${bin.path}/redriver`, 0o755);
    const env = { PATH: `${bin.path}:${process.env["PATH"]}` };
    const ended = await runChild(shell, [...(args[shell] ?? []), program], { cwd: folder.path, env });
    expect(ended).toMatchObject({ err: "" });
    const [, lanes = "", plan = ""] = ended.out.split(/^##\n/m);
    expect(lanes.trim().split("\n").toSorted()).toEqual(["list", "look"]);
    expect(plan.replaceAll("\\", "").trim().split("\n")).toEqual(
      expect.arrayContaining(["a file.yaml", "list", "look"]),
    );
    expect(readFileSync(`${folder.path}/asked`, "utf8")).toBe(
      "<completions><words><--><lanes><l><completions><words><--><plan><>",
    );
  },
);
