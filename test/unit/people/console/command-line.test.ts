import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { toCommandLine } from "../../../../src/people/operations/command-line.ts";

const invisible = "\u200b";
const bell = "\u0007";

it("writes a line of which every shell here makes the same words", () => {
  const words = [
    "it's",
    "$(exit 9)",
    "`exit 9`",
    "--all",
    "-",
    "",
    "*",
    "=ls",
    "~root",
    "!!",
    "a\\nb",
    "two\nlines\t\r\u007f",
    `it's${invisible}; exit 9 #`,
    `'${invisible};exit 9;'`,
    `\\${invisible}'!%s%b\\0041\\c`,
    `${bell}12`,
    "\u202e turned around \u2066",
    "ünï ✓ 日本 😀",
  ];
  const line = toCommandLine(...words);
  expect(line).toMatch(/^[^\p{Cc}\p{Cf}]*$/u);
  for (const shell of ["sh", "bash"]) {
    const said = execFileSync(shell, ["-c", `redriver() { printf '%s\\0' "$@"; }; ${line}`]).toString();
    expect({ shell, said: said.split("\0").slice(0, -1) }).toEqual({ shell, said: words });
  }
});

it("quotes what zsh alone would take for the path of a program", () => {
  expect(toCommandLine("=ls", "a=b")).toBe("redriver '=ls' a=b");
});
