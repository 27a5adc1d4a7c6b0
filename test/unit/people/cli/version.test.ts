import { expect, it } from "vitest";
import { version, versionText } from "../../../../src/people/cli/version.ts";
import { runHere as ask } from "../../../support/cli.ts";

it("--version names the program, Node and Redis", async () => {
  const { exitCode, out } = await ask(["--version"]);
  expect({ exitCode, out }).toEqual({ exitCode: 0, out: `${versionText()}\n` });
  expect(out).toMatch(/^redriver \d+\.\d+\.\d+.*, Node \d+\.\d+\.\d+, for Redis 6\.2 or newer\n$/);
  expect(out).toContain(version);
});
