import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { errorTable } from "../../src/job/contracts/errors.ts";

const documented = [
  ...readFileSync("docs/errors.md", "utf8").matchAll(
    /^\| `([a-z-]+)` \| (\w+) \| (\d+) \| (.+?) \| (.+?) \|$/gm,
  ),
].map(([, code, disposition, exitCode, meaning, remedy]) => ({
  code,
  disposition,
  exitCode: Number(exitCode),
  meaning,
  remedy,
}));

describe("docs/errors.md", () => {
  it("has a row for every code, and no other, in the order of the table", () => {
    expect(documented.map(({ code }) => code)).toEqual(Object.keys(errorTable));
  });

  it("tells the same disposition, exit code and meaning as the table", () => {
    const { ...rows } = errorTable;
    for (const { code, disposition, exitCode, meaning } of documented) {
      const row = rows[code as keyof typeof rows];
      expect({ code, disposition, exitCode, meaning }).toEqual({
        code,
        disposition: row.disposition,
        exitCode: row.exitCode,
        meaning: row.meaning,
      });
    }
  });
});
