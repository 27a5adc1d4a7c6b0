import { describe, expect, it } from "vitest";
import { askedCommand } from "../../../../src/people/cli/asked-command.ts";

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
