import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { DrainName, SourceId } from "../../../../../src/job/contracts/ids.ts";
import { archivedAt, archiveEntry, archiveFiles, createStand } from "../../../../support/archives.ts";
import { expectTold, linesOf, runHere as ask } from "../../../../support/cli.ts";
import { createFolder } from "../../../../support/command.ts";

function documentWith(archive: string): string {
  return `version: 1
${archive}sources: { default: {} }
drains: { all: { rules: [{ when: { responseStatus: 503 }, then: republish }] } }
`;
}

const secrets = {
  url: "https://user:word@api.example.com/orders?key=query-secret#part",
  header: { Authorization: ["header-secret"], "X-Plain": ["one", "two"] },
  body: '{"card":"body-secret"}',
  bodyBase64: "",
  responseBody: "answer-secret",
  responseHeader: { "Set-Cookie": ["cookie-secret"] },
  callback: "https://back.example.com/?callback-secret",
  responseStatus: 503,
  topicName: "orders",
  labels: ["a", "b"],
  newField: { deep: "unknown-secret" },
};

async function setUp() {
  const { archive, dir } = createStand({ now: () => archivedAt });
  const first = archiveEntry(1, { record: { ...archiveEntry(1).record, ...secrets } });
  await archive.write([
    first,
    archiveEntry(2, { drain: "refunds" as DrainName, at: archivedAt + 1_000 }),
    archiveEntry(3, {
      drain: null,
      rule: null,
      why: "near-expiry",
      source: "us" as SourceId,
      at: archivedAt + 2_000,
    }),
    archiveEntry(4, { at: archivedAt + 3_000 }),
  ]);
  const [file = ""] = archiveFiles(dir);
  return { dir, file, first };
}

describe("redriver archive list", () => {
  it("shows each file with its size, entries and time, and counts by drain and reason", async () => {
    const { dir, file } = await setUp();
    const { exitCode, out, err } = await ask(["archive", "list", "--dir", dir]);
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
    const lines = out.split("\n").map((line) => line.trim().split(/ {2,}/));
    expect(lines).toEqual([
      ["file", "bytes", "entries", "from", "to", "damage"],
      [file, expect.stringMatching(/^\d+$/), "4", "2025-10-09T08:53:20Z", "2025-10-09T08:53:23Z", "-"],
      [""],
      ["drain", "why", "entries"],
      ["orders", "dropped", "2"],
      ["refunds", "dropped", "1"],
      ["-", "near-expiry", "1"],
      [""],
    ]);
    const json = await ask(["archive", "list", "--dir", dir, "--json"]);
    expect(JSON.parse(json.out)).toEqual([
      {
        v: 1,
        file,
        bytes: expect.any(Number),
        entries: 4,
        from: archivedAt,
        to: archivedAt + 3_000,
        counts: [
          { drain: "orders", why: "dropped", entries: 2 },
          { drain: "refunds", why: "dropped", entries: 1 },
          { drain: null, why: "near-expiry", entries: 1 },
        ],
        damages: [],
      },
    ]);
  });

  it("warns of a torn end and ends with 0; of what is broken it ends with 1, and shows the rest", async () => {
    const { dir, file } = await setUp();
    appendFileSync(join(dir, file), Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1]));
    expect(await ask(["archive", "list", "--dir", dir])).toMatchObject({
      exitCode: 0,
      err: expect.stringContaining(`warning: ${file}: behind line 4: ends in the middle`),
    });
    writeFileSync(join(dir, "other.ndjson.gz"), "no gzip");
    const broken = await ask(["archive", "list", "--dir", dir, "--json"]);
    expect(broken).toMatchObject({ exitCode: 1, err: expect.stringContaining("damaged: other.ndjson.gz: ") });
    expect(JSON.parse(broken.out)).toMatchObject([
      { file, entries: 4 },
      { entries: 0, from: null },
    ]);
  });

  it("says where it looked when there is no such directory", async () => {
    expectTold(await ask(["archive", "list", "--dir", "/nowhere/archive"]), 1, "/nowhere/archive");
  });

  it("finds the directory in the drains document", async () => {
    const { dir, file } = await setUp();
    const folder = createFolder({
      "with.yaml": documentWith(`archive: { dir: ${dir}, keep: 30d }\n`),
      "without.yaml": documentWith(""),
    });
    const env = { REDRIVER_SERVICE_URL: "http://127.0.0.1:9", REDRIVER_SERVICE_TOKEN: "token" };
    expect(await ask(["archive", "list", "--drains", join(folder.path, "with.yaml")], env)).toMatchObject({
      exitCode: 0,
      out: expect.stringContaining(file),
    });
    const without = await ask(["archive", "list", "--drains", join(folder.path, "without.yaml")], env);
    expectTold(without, 2, "--dir");
  });
});

describe("redriver archive show", () => {
  it("prints a table without contents", async () => {
    const { dir } = await setUp();
    const { exitCode, out } = await ask(["archive", "show", "--dir", dir]);
    expect(exitCode).toBe(0);
    expect(out).toContain("https://***@api.example.com/orders?key=***#***");
    expect(out).not.toMatch(/secret|word/);
    expect(out.trimEnd().split("\n")).toHaveLength(5);
  });

  it("prints entries as lines of JSON, masked", async () => {
    const { dir, first, file } = await setUp();
    const { out } = await ask(["archive", "show", "--dir", dir, "--json"]);
    expect(out).not.toMatch(/secret|word/);
    expect(linesOf(out)).toHaveLength(4);
    expect(linesOf(out)[0]).toEqual({
      v: 1,
      ...first,
      file,
      record: {
        ...first.record,
        url: "https://***@api.example.com/orders?key=***#***",
        header: { Authorization: ["***"], "X-Plain": ["***", "***"] },
        body: "22 characters",
        responseBody: "13 characters",
        responseHeader: { "Set-Cookie": ["***"] },
        callback: "https://back.example.com/?***",
        newField: "object of 1",
      },
    });
  });

  it("with --show-content prints them complete, and nothing that a terminal would act on", async () => {
    const { archive, dir } = createStand();
    const record = {
      dlqId: archiveEntry(1).dlqId,
      body: "\u001B[2J \u009B31m \u202E \u{E0001} \u2028",
      url: "https://a.example/",
    };
    await archive.write([archiveEntry(1, { record })]);
    const { out } = await ask(["archive", "show", "--dir", dir, "--show-content"]);
    expect(linesOf(out)).toMatchObject([{ record }]);
    expect(out.trimEnd()).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  });

  it.each([
    { flags: ["--drain", "orders"], ids: [1, 4] },
    { flags: ["--source", "us"], ids: [3] },
    { flags: ["--since", "2025-10-09T08:53:21Z"], ids: [2, 3, 4] },
    { flags: ["--until", "2025-10-09T08:53:21Z"], ids: [1, 2] },
    { flags: ["--since", "2025-10-09", "--until", "2025-10-09"], ids: [1, 2, 3, 4] },
    { flags: ["--since", String(archivedAt + 3_000)], ids: [4] },
    { flags: ["--until", "20000d"], ids: [] },
    { flags: ["--until", "-1d", "--limit", "3"], ids: [1, 2, 3] },
    { flags: ["--drain", "orders", archiveEntry(4).dlqId], ids: [4] },
    { flags: [archiveEntry(3).dlqId, archiveEntry(2).dlqId], ids: [2, 3] },
  ])("takes only what $flags say", async ({ flags, ids }) => {
    const { dir } = await setUp();
    const { exitCode, out } = await ask(["archive", "show", "--dir", dir, "--json", ...flags]);
    expect(exitCode).toBe(0);
    expect(linesOf(out)).toMatchObject(ids.map((n) => ({ dlqId: archiveEntry(n).dlqId })));
  });

  it("ends with 1 and names the ids that are not there", async () => {
    const { dir } = await setUp();
    const answer = await ask(["archive", "show", "--dir", dir, "--json", archiveEntry(1).dlqId, "9-9"]);
    expect(answer).toMatchObject({ exitCode: 1, err: "not in the archive: 9-9\n" });
    expect(linesOf(answer.out)).toHaveLength(1);
  });

  it.each([
    ["--limit", "0"],
    ["--limit", "many"],
    ["--since", "yesterday"],
    ["--until", "2025-13-01"],
  ])("refuses %s %s with 2", async (...flags) => {
    const { dir } = await setUp();
    expectTold(await ask(["archive", "show", "--dir", dir, ...flags]), 2, flags[0] ?? "");
  });
});
