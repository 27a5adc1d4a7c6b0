import { expect, test } from "vitest";
import { toActRows, type ActRow } from "../../../../../src/people/operations/history/act-rows.ts";
import { toActTable, toRecordTable } from "../../../../../src/people/cli/history/command.ts";
import { toHistoryRows } from "../../../../../src/people/operations/history/rows.ts";
import type { AuditEntry } from "../../../../../src/job/contracts/audit.ts";
import type { SourceId } from "../../../../../src/job/contracts/ids.ts";
import { entry } from "../../../../support/audit-entry.ts";

const at = Date.UTC(2026, 10, 26, 18, 25, 6, 440);
const drain = "payments-to-the-old-provider" as AuditEntry["drain"];

const entries: readonly AuditEntry[] = [
  {
    ...entry("1-0"),
    at,
    act: "republish",
    drain,
    by: "daemon redriver-6c5d9f7b8-x2x4z-1",
    records: ["1795712235111-1255", "1795712235947-2430"].map((dlqId) => ({
      dlqId,
      rule: "a-rule-with-a-long-name",
      reason: "due",
      host: "hooks.a-customer-with-a-long-name.example.com",
      notes: ["canary"],
    })),
  },
  {
    ...entry("1-0"),
    at: at - 120_000,
    act: "pause",
    drain: null,
    by: "ann",
    why: "INC-8: they restart their database, and will call again when it is done, in an hour",
    host: "pay.example.com",
    forMs: 300_000,
    records: [],
  },
];

async function* read(): AsyncGenerator<AuditEntry> {
  for (const one of entries) yield await Promise.resolve(one);
}

async function acts(): Promise<readonly ActRow[]> {
  const rows = [];
  for await (const row of toActRows(read())) rows.push(row);
  return rows;
}

const widest = (text: string): number => Math.max(...text.split("\n").map((line) => line.length));

test("acts on a terminal fit 80 columns, with what does not fit a row below it", async () => {
  const text = toActTable(80, await acts());
  expect(`\n${text}`).toMatchInlineSnapshot(`
    "
    when                  act        count  drain
    2026-11-26T18:25:06Z  republish      2  payments-to-the-old-provider
        rule a-rule-with-a-long-name; reason due; host
        hooks.a-customer-with-a-long-name.example.com; notes 2 canary; by daemon
        redriver-6c5d9f7b8-x2x4z-1
    2026-11-26T18:23:06Z  pause          -  all of eu
        host pay.example.com; notes for 5m; why INC-8: they restart their database,
        and will call again when it is done, in an hour; by ann
    "
  `);
  expect(widest(text)).toBeLessThanOrEqual(80);
});

test("so do records", () => {
  const text = toRecordTable(80, entries.flatMap(toHistoryRows));
  expect(`\n${text}`).toMatchInlineSnapshot(`
    "
    when                  act        dlqId
    2026-11-26T18:25:06Z  republish  1795712235111-1255
        drain payments-to-the-old-provider; rule a-rule-with-a-long-name; reason
        due; notes canary, hooks.a-customer-with-a-long-name.example.com; by daemon
        redriver-6c5d9f7b8-x2x4z-1
    2026-11-26T18:25:06Z  republish  1795712235947-2430
        drain payments-to-the-old-provider; rule a-rule-with-a-long-name; reason
        due; notes canary, hooks.a-customer-with-a-long-name.example.com; by daemon
        redriver-6c5d9f7b8-x2x4z-1
    2026-11-26T18:23:06Z  pause      -
        drain all of eu; notes pay.example.com, for 5m; why INC-8: they restart
        their database, and will call again when it is done, in an hour; by ann
    "
  `);
  expect(widest(text)).toBeLessThanOrEqual(80);
});

test("elsewhere each is one line, with nothing cut", async () => {
  const text = toActTable(Infinity, await acts());
  expect(text.trimEnd().split("\n")).toHaveLength(3);
  expect(text).toContain(String(drain));
  expect(text).toContain("2026-11-26T18:25:06Z");
});

async function* pauses(): AsyncGenerator<AuditEntry> {
  for (const source of ["eu" as SourceId, "us" as SourceId]) {
    yield await Promise.resolve({ ...entries[1]!, source, forMs: 1_500 });
  }
}

test("pauses of two sources are told apart, each with its duration as it was given", async () => {
  const rows: ActRow[] = [];
  for await (const row of toActRows(pauses())) rows.push(row);
  const [, one, other] = toActTable(Infinity, rows).split("\n");
  expect(one).toMatch(/ all of eu .* for 1s500ms /);
  expect(other).toMatch(/ all of us .* for 1s500ms /);
});
