import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseLine, toLine } from "../../../../src/job/archive/entry-line.ts";
import { archiveEntry } from "../../../support/archives.ts";

describe("an entry's line", () => {
  it("reads back as the same entry, whatever the record holds, and is one line", () => {
    const json = fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue({ noUnicodeString: false }));
    fc.assert(
      fc.property(json, (record) => {
        const { dlqId } = archiveEntry(1);
        const plain = { ...(JSON.parse(JSON.stringify(record)) as Record<string, unknown>), dlqId };
        const line = toLine(archiveEntry(1, { record: plain }));
        expect(line.indexOf("\n")).toBe(line.length - 1);
        expect(line).not.toContain("\u001F");
        expect(parseLine(line.slice(0, -1))).toEqual(archiveEntry(1, { record: plain }));
      }),
    );
  });

  it.each([
    "",
    "null",
    "[]",
    '"text"',
    "{",
    '{"at":1}',
    toLine(archiveEntry(1)).replace("dropped", "lost"),
    toLine({ ...archiveEntry(1), at: 8.64e15 + 1 }),
    toLine(archiveEntry(1)).replace(/"at":\d+/, '"at":1e400'),
  ])("is not %s", (line) => {
    expect(parseLine(line)).toBe("no entry of an archive");
  });

  it("is not of another record", () => {
    const { record } = archiveEntry(2);
    expect(parseLine(toLine(archiveEntry(1, { record })))).toMatch(
      /^the entry of "\d+-1" has .* of "\d+-2"$/,
    );
  });
});
