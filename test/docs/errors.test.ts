import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { errorTable } from "../../src/job/contracts/errors.ts";

const documented = [
  ...readFileSync("docs/errors.md", "utf8").matchAll(
    /^\| `([a-z-]+)` \| (\w+) \| (\d+) \| (.+?) \| (.+?) \|$/gm,
  ),
].map(([, code, disposition, exitCode, meaning]) => ({
  code,
  disposition,
  exitCode: Number(exitCode),
  meaning,
}));

describe("docs/errors.md", () => {
  it("has the rows of the table: every code, in its order, with disposition, exit code and meaning", () => {
    const rows = Object.entries(errorTable).map(([code, { disposition, exitCode, meaning }]) => {
      return { code, disposition, exitCode, meaning };
    });
    expect(documented).toEqual(rows);
  });
});
