import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { toLine } from "../../src/job/archive/entry-line.ts";
import { archiveEntry, createStand, readArchive } from "../support/archives.ts";
import { start } from "../support/command.ts";
import { codeBlocks, codeSpans, readDoc, tableRows } from "../support/markdown.ts";
import { isHere } from "../support/tools.ts";

const page = readDoc("docs/archive.md");

describe("docs/archive.md", () => {
  it("names the keys of an entry, all of them, in their order", () => {
    const keys = tableRows(page, ["key", "meaning"]).map(([key = ""]) => codeSpans(key)[0]);
    expect(keys).toEqual(Object.keys(JSON.parse(toLine(archiveEntry(1))) as object));
  });

  it.skipIf(!isHere("jq"))("erases one entry of a file, and the others are still proven", async () => {
    const { dir, archive } = createStand();
    const acme = archiveEntry(1);
    const { file } = await archive.write([acme]);
    await archive.write([archiveEntry(2), archiveEntry(10)]);
    await archive.close();
    const lines = codeBlocks(page)
      .find(({ heading }) => heading.startsWith("Erase"))
      ?.text.trim()
      .split("\n");
    const [find = "", erase = ""] = lines ?? [];
    const run = (line: string, input = "") =>
      execFileSync("bash", ["-euc", line], { cwd: dir, encoding: "utf8", input });

    const { out } = await start(["archive", "show", "--show-content", "--dir", dir]).ended;
    const found = run(find.replace(/^redriver [^|]*\|/, "").replace("acme", `'body of 1"'`), out);
    expect(found).toBe(`${file}\t${acme.dlqId}\n`);
    run(erase.replaceAll("FILE", file).replace("ID", acme.dlqId));

    const { entries, damages } = await readArchive(dir);
    expect(damages).toEqual([]);
    expect(entries.map(({ dlqId, isDoubtful }) => [dlqId, isDoubtful])).toEqual(
      [2, 10].map((n) => [archiveEntry(n).dlqId, undefined]),
    );
  });
});
