import { mkdirSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { runHere } from "../../../../support/cli.ts";
import { createFolder } from "../../../../support/command.ts";
import { allOddities, oddText, oddValues } from "../../../../support/odd-fields.ts";

const fields = "at source drain why rule dlqId record".split(" ");
const plain = {
  at: 1,
  source: "default",
  drain: "main",
  why: "dropped",
  rule: "gone",
  dlqId: "1-0",
  record: { dlqId: "1-0" },
};

test("lines of an archive with any values are listed and shown, or named as damage", async () => {
  const { path } = createFolder({});
  const lines = [
    ...fields.flatMap((field) => Object.keys(oddValues).map((value) => oddText(plain, [[field, value]]))),
    ...allOddities
      .filter((_, n) => n % 7 === 0)
      .map(
        (one) =>
          `${JSON.stringify({ ...plain, record: null }).slice(0, -5)}${oddText({ dlqId: "1-0" }, [one])}}`,
      ),
  ];
  mkdirSync(`${path}/archive`);
  writeFileSync(`${path}/archive/20260101T000000Z-a-1.ndjson.gz`, gzipSync(`${lines.join("\n")}\n`));
  for (const argv of [
    ["archive", "list", "--dir", `${path}/archive`],
    ["archive", "list", "--dir", `${path}/archive`, "--json"],
    ["archive", "show", "--dir", `${path}/archive`, "--limit", "10000"],
    ["archive", "show", "--dir", `${path}/archive`, "--limit", "10000", "--show-content"],
  ]) {
    const { exitCode, err, out } = await runHere(argv, {});
    expect([argv.slice(0, 2), exitCode, err.slice(0, 300)]).toEqual([
      argv.slice(0, 2),
      expect.toBeOneOf([0, 1]),
      expect.stringContaining("no entry of an archive"),
    ]);
    expect(out.length).toBeGreaterThan(100);
  }
});
