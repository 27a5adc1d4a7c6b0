import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseLine, toLine } from "../../../src/archive/entry-line.ts";
import { parseFileName, toFileName } from "../../../src/archive/file-name.ts";
import { createGroupCommit } from "../../../src/archive/group-commit.ts";
import { memberHeader, splitMembers, toMember } from "../../../src/archive/member.ts";
import { toArchiveError } from "../../../src/archive/translate-error.ts";
import { archivedAt, archiveEntry } from "../../support/archives.ts";

describe("file names", () => {
  it("are read back whatever the host is called, and are short enough for a file system", () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date(0), max: new Date("9999-12-31"), noInvalidDate: true }),
        fc.string({ unit: "binary", maxLength: 300 }),
        fc.nat(),
        fc.nat(),
        fc.constantFrom("archive" as const, "probe" as const),
        (date, owner, pid, count, kind) => {
          const name = toFileName(date.getTime(), { owner, pid }, count, kind);
          expect(parseFileName(name)).toEqual({ kind, openedAt: date.getTime() });
          expect(Buffer.byteLength(name)).toBeLessThan(255);
          expect(name).toMatch(/^[A-Za-z0-9.-]+$/);
        },
      ),
    );
  });

  it("sort by time, and keep what tells one pod from another", () => {
    const names = ["x2lkq", "zz9pl"].map((id, n) =>
      toFileName(
        archivedAt + n,
        { owner: `${"redriver-".repeat(27)}7d9f8b6c5-${id}`, pid: 1 },
        9 - n,
        "archive",
      ),
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
    expect(parseFileName(name)).toBeNull();
  });
});

describe("an entry's line", () => {
  it("reads back as the same entry, whatever the record holds, and is one line", () => {
    const json = fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue({ noUnicodeString: false }));
    fc.assert(
      fc.property(json, (record) => {
        const plain = JSON.parse(JSON.stringify(record)) as Record<string, unknown>;
        const line = toLine(archiveEntry(1, { record: plain }));
        expect(line.indexOf("\n")).toBe(line.length - 1);
        expect(line).not.toContain("\u001F");
        expect(parseLine(line.slice(0, -1))).toEqual(archiveEntry(1, { record: plain }));
      }),
    );
  });

  it.each(["", "null", "[]", '"text"', "{", '{"at":1}', toLine(archiveEntry(1)).replace("dropped", "lost")])(
    "is not %s",
    (line) => {
      expect(parseLine(line)).toBeNull();
    },
  );
});

async function* endless(): AsyncGenerator<Buffer> {
  yield await toMember("first");
  yield memberHeader;
  for (;;) yield Buffer.alloc(1_000, 1);
}

describe("splitting a file into its members", () => {
  it("gives each member whole, wherever the chunks end", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string(), { minLength: 1, maxLength: 5 }),
        fc.array(fc.nat({ max: 40 }), { maxLength: 60 }),
        async (texts, cuts) => {
          const members = await Promise.all(texts.map(toMember));
          const whole = Buffer.concat(members);
          const chunks = async function* (): AsyncGenerator<Buffer> {
            let at = 0;
            for (const cut of cuts) {
              yield whole.subarray(at, at + cut);
              at += cut;
            }
            yield whole.subarray(at);
          };
          const found = [];
          for await (const { bytes, isLast } of splitMembers(chunks(), 1_000_000))
            found.push({ bytes, isLast });
          expect(found.map(({ bytes }) => bytes.toString("hex"))).toEqual(
            members.map((member) => member.toString("hex")),
          );
          expect(found.map(({ isLast }) => isLast)).toEqual(texts.map((_, n) => n === texts.length - 1));
        },
      ),
    );
  });

  it("ends where a member is larger than it may be", async () => {
    const members = splitMembers(endless(), 10_000);
    expect((await members.next()).value).toEqual({ bytes: await toMember("first"), isLast: false });
    await expect(members.next()).rejects.toThrow(new RangeError("a member of more than 10000 bytes"));
  });

  it("finds them by a header that the library's own gunzip takes", async () => {
    expect((await toMember("text")).subarray(0, memberHeader.length)).toEqual(memberHeader);
  });
});

describe("group commit", () => {
  it("commits one group after the other, each with all that waited, up to its length", async () => {
    const groups: string[] = [];
    let running = 0;
    const commits = createGroupCommit(async (text) => {
      running += 1;
      expect(running).toBe(1);
      await Promise.resolve();
      groups.push(text);
      running -= 1;
      return text;
    }, 4);
    const receipts = await Promise.all(["a", "bb", "cc", "d", "eeeeee", "f"].map(commits.add));
    expect(groups).toEqual(["a", "bbcc", "d", "eeeeee", "f"]);
    expect(receipts).toEqual(["a", "bbcc", "bbcc", "d", "eeeeee", "f"]);
    await commits.idle();
    expect(await commits.add("again")).toBe("again");
  });
});

describe("an error of the file system", () => {
  it.each([
    { code: "ENOSPC", reason: "no space left on the volume (ENOSPC)" },
    { code: "EACCES", reason: "no permission (EACCES)" },
    { code: "EXDEV", reason: "a failure (EXDEV)" },
    { code: undefined, reason: "an unexpected failure" },
  ])("$code is told with the directory and the key", ({ code, reason }) => {
    const cause = Object.assign(new Error("secret of the cause"), { code });
    const error = toArchiveError(cause, "/archive", "write to");
    expect(error).toMatchObject({ code: "archive-unavailable", disposition: "retry", cause });
    expect(error.message).toBe(
      `expected to write to the archive in /archive, got ${reason}; see archive.dir`,
    );
  });
});
