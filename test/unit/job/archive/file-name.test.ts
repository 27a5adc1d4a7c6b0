import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseOpenedAt, toFileName } from "../../../../src/job/archive/file-name.ts";
import { archivedAt } from "../../../support/archives.ts";

describe("file names", () => {
  it("are read back whatever the host is called, and are short enough for a file system", () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date(0), max: new Date("9999-12-31"), noInvalidDate: true }),
        fc.string({ unit: "binary", maxLength: 300 }),
        fc.nat(),
        fc.nat(),
        (date, owner, pid, count) => {
          const name = toFileName(date.getTime(), { owner, pid }, count);
          expect(parseOpenedAt(name)).toBe(date.getTime());
          expect(Buffer.byteLength(name)).toBeLessThan(255);
          expect(name).toMatch(/^[A-Za-z0-9.-]+$/);
        },
      ),
    );
  });

  it("sort by time, and keep what tells one pod from another", () => {
    const names = ["x2lkq", "zz9pl"].map((id, n) =>
      toFileName(archivedAt + n, { owner: `${"redriver-".repeat(27)}7d9f8b6c5-${id}`, pid: 1 }, 9 - n),
    );
    expect(names).toEqual(names.toSorted());
    expect(names[0]).toContain("7d9f8b6c5-x2lkq-1-9.ndjson.gz");
  });

  it.each([
    "notes.txt",
    "backup.ndjson.gz",
    "20251009T085320.000Z-pod-0-7-1.ndjson.gz.bak",
    "20251009T085320.000Z-pod-0-7-1.ndjson",
    "x20251009T085320.000Z-pod-0-7-1.ndjson.gz",
    "20251309T085320.000Z-pod-0-7-1.ndjson.gz",
    "20251009T085320.000Z-7-1.ndjson.gz",
    "20251009T085320.000Z-../../etc-7-1.ndjson.gz",
  ])("do not take %s for the archive's own", (name) => {
    expect(parseOpenedAt(name)).toBeNull();
  });
});
