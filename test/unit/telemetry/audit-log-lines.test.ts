import { readFileSync, renameSync, rmSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { NewAuditEntry } from "../../../src/job/contracts/audit.ts";
import { createAuditLog, openAuditLines } from "../../../src/telemetry/audit-log-lines.ts";
import { createLogger } from "../../../src/telemetry/logger.ts";
import { entry, idsOf } from "../../support/audit-entry.ts";
import { createFolder } from "../../support/command.ts";

function linesOf(one: NewAuditEntry): readonly string[] {
  const lines: string[] = [];
  const logger = createLogger({
    level: "info",
    secrets: () => ["token-of-the-service"],
    destination: { write: (line) => lines.push(line) },
  });
  createAuditLog(logger)(one);
  return lines;
}

describe("the lines of the audit", () => {
  test("are one per act, marked, with ids, rule and reason", () => {
    const [line = "", ...more] = linesOf({
      ...entry("1-0"),
      act: "park",
      documentHash: "h1",
      records: [{ dlqId: "1-0", rule: "broken", reason: "rule", attempt: 2 }],
    });
    expect(more).toEqual([]);
    expect(JSON.parse(line)).toEqual({
      level: "info",
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/),
      audit: true,
      act: "park",
      by: "daemon pod/7",
      source: "eu",
      drain: "orders",
      documentHash: "h1",
      records: [{ dlqId: "1-0", rule: "broken", reason: "rule", attempt: 2 }],
      msg: "park 1 in orders",
    });
  });

  test("stay below the length at which container runtimes cut them", () => {
    const records = Array.from({ length: 100 }, (_, n) => ({
      dlqId: `1725323658779-${n}`,
      rule: "a-rule-with-a-long-and-telling-name-as-people-give",
      reason: "attempts-exhausted",
      attempt: 12,
      as: "msg_26hZCxZCuWyyTWPmSVBrNB8823kjh4",
      parent: `1725323650000-${n}`,
      notes: ["failure-callback-again", "unknown-outcome-past-window"],
    }));
    const lines = linesOf({ ...entry("1-0"), records });
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(Buffer.byteLength(line)).toBeLessThan(16_384);
    const ids = lines.flatMap((line) => idsOf([JSON.parse(line) as NewAuditEntry]));
    expect(ids).toEqual(records.map(({ dlqId }) => dlqId));
  });

  test("are there for an act on no dead letter, and hold no secret", () => {
    const lines = linesOf({
      ...entry("1-0"),
      act: "pause",
      drain: null,
      why: "token-of-the-service leaked",
      records: [],
    });
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { audit: true, act: "pause", why: "[redacted] leaked", records: [], msg: "pause: [redacted] leaked" },
    ]);
  });
});

describe("a file of the audit", () => {
  test("gets each line at its end, also after it was moved away, and stdout what it does not take", () => {
    const { path } = createFolder();
    const file = `${path}/audit.log`;
    const out: string[] = [];
    const lines = openAuditLines(file, { write: (line) => out.push(line) });
    lines.write("1\n");
    lines.write("2\n");
    renameSync(file, `${file}.1`);
    lines.write("3\n");
    expect([`${file}.1`, file].map((one) => readFileSync(one, "utf8"))).toEqual(["1\n2\n", "3\n"]);
    rmSync(path, { recursive: true });
    lines.write("4\n");
    expect(out).toEqual(["4\n"]);
  });

  test("that there cannot be is refused with its setting", () => {
    const { path } = createFolder();
    expect(() => openAuditLines(`${path}/none/audit.log`, { write: () => undefined })).toThrow(
      /^log\.audit \(REDRIVER_LOG_AUDIT\): expected a file that can be written to, got ".*ENOENT/,
    );
  });
});
