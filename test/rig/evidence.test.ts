import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createDeclarations } from "./declarations.ts";
import { createJudge } from "./judge.ts";
import { createLetterMaker } from "../soak/letters.ts";
import { readArchivedIds } from "./archived-ids.ts";
import { createSecrets } from "./secrets.ts";
import { createDaemonLog } from "./daemon-log.ts";

let dir = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "redriver-soak-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const secret = "token0123456789abcdef";

function knowing(value: string) {
  const secrets = createSecrets();
  secrets.add("token", value);
  return secrets;
}

describe("a secret", () => {
  it.each(["", "a", "ab"])("is found as it is and in base64 behind %j", (before) => {
    const base64 = Buffer.from(`${before}${secret} and more`).toString("base64");
    expect(knowing(secret).find(`x${before}${secret}y`)).toEqual(["token"]);
    expect(knowing(secret).find(`"${base64}"`)).toEqual(["token"]);
    expect(knowing(secret).find(`${before}${secret.slice(1)}`)).toEqual([]);
  });

  it("is found in a file where it lies across two reads", async () => {
    const file = join(dir, "log");
    // A read is 64 KiB.
    writeFileSync(file, `${"x".repeat(65_536 - 10)}${secret}${"x".repeat(70_000)}`);
    expect(await knowing(secret).findInFile(file)).toEqual(["token"]);
    writeFileSync(file, "x".repeat(200_000));
    expect(await knowing(secret).findInFile(file)).toEqual([]);
  });
});

function line(dlqId: string, why: string): string {
  return `${JSON.stringify({ dlqId, why, record: {} })}\n`;
}

describe("the archive", () => {
  it("is read whole, also where the end of a file is missing", () => {
    const second = gzipSync(line("2-0", "near-expiry").repeat(50) + line("3-0", "dropped"));
    writeFileSync(join(dir, "a.ndjson.gz"), Buffer.concat([gzipSync(line("1-0", "dropped")), second]));
    writeFileSync(join(dir, "b.ndjson.gz"), second.subarray(0, second.length - 20));
    writeFileSync(join(dir, "c.ndjson.gz"), "");
    const { dropped, copied } = readArchivedIds(dir);
    expect([...dropped].toSorted()).toEqual(["1-0", "3-0"]);
    expect([...copied]).toEqual(["2-0"]);
    expect(readArchivedIds(join(dir, "none")).dropped.size).toBe(0);
  });
});

describe("a letter", () => {
  it("is the same in every run of a seed, but for its time, and has both markers where they belong", () => {
    const markers = { body: "body-marker", header: "header-marker" };
    const make = (now: number) => {
      const maker = createLetterMaker(3, "http://127.0.0.1:1", markers);
      return Array.from({ length: 1_000 }, () => maker.make(now));
    };
    const [one, other] = [make(1_000_000), make(2_000_000)];
    expect(one.map(({ fate, root, bodySha256 }) => ({ fate, root, bodySha256 }))).toEqual(
      other.map(({ fate, root, bodySha256 }) => ({ fate, root, bodySha256 })),
    );
    expect(new Set(one.map(({ fate }) => fate))).toEqual(new Set(["republish", "drop", "stay", "expire"]));
    expect(new Set(one.map(({ dlqId }) => dlqId)).size).toBe(1_000);
    const [first] = one;
    expect(JSON.stringify(first?.record["header"])).toContain("header-marker");
    expect(String(first?.record["body"])).toContain("body-marker");
  });
});

function heard(lines: readonly string[], from: "stdout" | "stderr" = "stdout") {
  const judge = createJudge({ dedupWindowMs: 1, isRepublished: () => true, now: () => 0 });
  const watch = createDaemonLog(
    judge,
    createDeclarations(() => 0),
    knowing(secret),
  );
  for (const text of lines) watch.line(1, text, from);
  return { broken: judge.violations.map(({ rule }) => rule), watch };
}

describe("what a daemon says", () => {
  it("is judged: a secret, an error without a code, anything on stderr that is no warning", () => {
    expect(heard([`{"event":"x","msg":"${secret}"}`]).broken).toEqual(["leaked"]);
    expect(heard(['{"event":"sweep:failed","code":"unexpected","msg":"TypeError"}']).broken).toEqual([
      "unexpected-error",
    ]);
    expect(
      heard(['{"event":"job:failed","code":"unexpected","msg":"queue job failed: OOM no"}']).broken,
    ).toEqual(["unexpected-error"]);
    expect(
      heard(['{"event":"job:failed","code":"redis-unavailable","msg":"Redis refused: OOM"}']).broken,
    ).toEqual([]);
    expect(heard(["Error: it broke"], "stderr").broken).toEqual(["unexpected-error"]);
    expect(heard(["warning: two drains"], "stderr").broken).toEqual([]);
  });

  it("tells which daemon has halted its source, until it resumes or ends", () => {
    const { watch } = heard(['{"event":"source:halted","code":"unauthorised"}']);
    expect([...watch.halted]).toEqual([[1, "unauthorised"]]);
    watch.line(1, '{"event":"source:resumed"}', "stdout");
    expect(watch.halted.size).toBe(0);
    watch.line(1, '{"event":"source:halted","code":"unauthorised"}', "stdout");
    watch.ended(1);
    expect(watch.halted.size).toBe(0);
  });
});
