import { describe, expect, it } from "vitest";
import { askedCommand } from "../../../../src/people/cli/asked-command.ts";
import { runHere as ask } from "../../../support/cli.ts";

describe("the command of a command line", () => {
  it.each([
    ["run", "run"],
    ["pause run --reason x", "pause"],
    ["--config run plan", "plan"],
    ["--config=run plan", "plan"],
    ["--drains plan --log-level demo run", "run"],
    ["--drains --config run", "run"],
    ["-- run", "run"],
    ["plann", "plann"],
    ["--drains plan", undefined],
    ["--help", undefined],
    ["", undefined],
  ])("of `%s` is %s", (line, command) => {
    expect(askedCommand(line.split(" ").filter((word) => word !== ""))).toBe(command);
  });
});

describe("redriver", () => {
  it("takes a global option before the command, also one whose value is a command's name", async () => {
    expect((await ask(["--drains", "plan", "run", "--help"])).out).toMatch(/^Usage: redriver run /);
  });

  it("lists every command for help, and looks among all of them for what a mistyped one meant", async () => {
    const { out } = await ask(["--help"]);
    for (const name of ["run", "resume", "index", "demo"])
      expect(out).toMatch(new RegExp(`^  ${name} `, "m"));
    expect(await ask(["statsu"])).toMatchObject({ exitCode: 2, err: expect.stringContaining("status?") });
  });
});
