import { describe, expect, it } from "vitest";
import { toActRows, type ActRow } from "../../../../../src/people/operations/history/act-rows.ts";
import {
  selectRecords,
  type RecordFilter,
} from "../../../../../src/people/operations/history/select-records.ts";
import { sumHistory } from "../../../../../src/people/operations/history/summary.ts";
import type { AuditEntry, AuditRecord } from "../../../../../src/job/contracts/audit.ts";
import { actColumns } from "../../../../../src/people/operations/history/rows.ts";
import type { DrainName } from "../../../../../src/job/contracts/ids.ts";
import { entry as newEntry } from "../../../../support/audit-entry.ts";

const minute = 60_000;

function entry(at: number, changes: Partial<AuditEntry> = {}): AuditEntry {
  return { ...newEntry("1-0"), at, act: "park", ...changes };
}

const of = (count: number, changes: Partial<AuditRecord> = {}): readonly AuditRecord[] =>
  Array.from({ length: count }, (_, n) => ({ dlqId: `1-${n}`, ...changes }));

const ordered = (orderedAt: number) => ({ act: "apply", by: "ann", orderedAt }) as const;
const ended = (at: number, orderedAt: number, why: string) =>
  entry(at, { ...ordered(orderedAt), records: [], why });

async function* read(entries: readonly AuditEntry[]): AsyncGenerator<AuditEntry> {
  for (const one of entries) yield await Promise.resolve(one);
}

async function rowsOf(...entries: readonly AuditEntry[]): Promise<readonly ActRow[]> {
  const rows = [];
  for await (const row of toActRows(read(entries))) rows.push(row);
  return rows;
}

const readRows = async (filter: RecordFilter) => {
  const all = read([
    ended(99_000, 95_000, "nothing was sent: plan-drifted; plan c"),
    ended(98_000, 61_000, "5 sent, none came back; plan b"),
    ended(97_000, 60_000, "3 sent; plan a"),
    entry(90_000, { records: [{ dlqId: "3-0", host: "a.example", rule: "x" }] }),
    entry(62_000, {
      ...ordered(61_000),
      why: "plan b",
      records: of(4, { host: "a.example", rule: "x" }),
    }),
    entry(62_000, {
      ...ordered(61_000),
      why: "plan b",
      records: of(1, { host: "b.example", rule: "y" }),
    }),
    entry(61_500, {
      ...ordered(60_000),
      why: "plan a",
      records: of(3, { host: "b.example", rule: "y" }),
    }),
  ]);
  const rows = [];
  for await (const { act, at, ordered: many, why } of toActRows(selectRecords(all, filter).entries))
    rows.push([act, at, many, why]);
  return rows;
};

describe("rows of acts", () => {
  it("are one row for what is alike within a minute, and another for what is older", async () => {
    const rows = await rowsOf(
      entry(3 * minute, { records: of(100) }),
      entry(3 * minute - 10, { records: of(50) }),
      entry(2 * minute, { records: of(7) }),
      entry(2 * minute - 1, { records: of(5) }),
    );
    expect(rows.map(({ at, since, count }) => [at, since, count])).toEqual([
      [3 * minute, 2 * minute, 157],
      [2 * minute - 1, 2 * minute - 1, 5],
    ]);
  });

  it("tell one apply from the next, and begin when it was ordered", async () => {
    const rows = await rowsOf(
      ...[95_000, 70_000].map((at) => entry(at, { act: "apply", orderedAt: 61_000, records: of(1) })),
      entry(60_000, { act: "apply", orderedAt: 1_000, records: of(1) }),
    );
    expect(rows.map((row) => [row.ordered, actColumns.when(row)])).toEqual([
      [2, "1970-01-01T00:01:01–00:01:35Z"],
      [1, "1970-01-01T00:00:01–00:01:00Z"],
    ]);
  });

  it("of an apply say what came of it and last until that was known, and one that ordered nothing has a row too", async () => {
    const rows = await rowsOf(
      ended(99_000, 95_000, "nothing was sent: plan-drifted; plan c"),
      ended(98_000, 61_000, "5 sent, none came back; plan b: INC-7"),
      entry(97_000, { act: "lane-halted", records: [] }),
      entry(96_000, { records: [{ dlqId: "2-0" }] }),
      entry(62_000, { ...ordered(61_000), why: "plan b: INC-7", records: [{ dlqId: "1-0" }] }),
      // It goes on, or its process was killed.
      entry(2_000, { ...ordered(1_000), why: "plan a", records: [{ dlqId: "1-0" }] }),
    );
    expect(rows.map(({ act, since, at, ordered, why }) => [act, since, at, ordered, why])).toEqual([
      ["lane-halted", 97_000, 97_000, undefined, undefined],
      ["park", 96_000, 96_000, undefined, undefined],
      ["apply", 95_000, 99_000, undefined, "nothing was sent: plan-drifted; plan c"],
      ["apply", 61_000, 98_000, 1, "5 sent, none came back; plan b: INC-7"],
      ["apply", 1_000, 2_000, 1, "plan a"],
    ]);
  });

  it("of one destination have what came of an apply that ordered some for it", async () => {
    const ofA = [
      ["park", 90_000, undefined, undefined],
      ["apply", 98_000, 4, "in all: 5 sent, none came back; plan b"],
    ];
    expect(await readRows({ host: "a.example" })).toEqual(ofA);
    expect(await readRows({ rule: "x" })).toEqual(ofA);
  });

  it("do not join what was done before and after a lane moved", async () => {
    const rows = await rowsOf(
      entry(9, { records: of(1) }),
      entry(8, { act: "lane-halted", records: [] }),
      entry(7, { records: of(20) }),
    );
    expect(rows.map(({ act, count }) => [act, count])).toEqual([
      ["park", 1],
      ["lane-halted", 0],
      ["park", 20],
    ]);
  });

  it("keep apart other rules, reasons, actors, persons' reasons and acts, in the order of time", async () => {
    const rows = await rowsOf(
      entry(9, { by: "ann" }),
      entry(8, { records: [...of(2, { rule: "a" }), ...of(3, { rule: "b" }), ...of(1, { rule: "a" })] }),
      entry(7, { act: "drop" }),
      entry(6, { by: "ann", records: of(4) }),
      entry(5, { by: "ann", why: "INC-7" }),
      entry(4, { act: "pause", records: [] }),
      entry(4, { act: "pause", records: [] }),
    );
    expect(rows.map(({ act, by, rule, why, count }) => [act, by, rule, why, count])).toEqual([
      ["park", "ann", undefined, undefined, 5],
      ["park", "daemon pod/7", "a", undefined, 3],
      ["park", "daemon pod/7", "b", undefined, 3],
      ["drop", "daemon pod/7", undefined, undefined, 1],
      ["park", "ann", undefined, "INC-7", 1],
      ["pause", "daemon pod/7", undefined, undefined, 0],
      ["pause", "daemon pod/7", undefined, undefined, 0],
    ]);
  });

  it("are known a minute later, without reading on", async () => {
    let reads = 0;
    async function* endless(): AsyncGenerator<AuditEntry> {
      for (let at = 1_000 * minute; ; at -= 1_000) {
        reads += 1;
        yield await Promise.resolve(entry(at));
      }
    }
    for await (const row of toActRows(endless())) {
      expect(row.count).toBe(61);
      break;
    }
    expect(reads).toBe(62);
  });
});

describe("a summary", () => {
  it("takes all replicas of the daemon for one", async () => {
    const { people } = await sumHistory(
      read([entry(9, { by: "daemon a-1" }), entry(8, { by: "daemon b-1" }), entry(7, { by: "ann" })]),
      () => undefined,
    );
    expect(people).toEqual([
      { by: "daemon", act: "park", count: 2, first: 8, last: 9 },
      { by: "ann", act: "park", count: 1, first: 7, last: 7 },
    ]);
  });

  it("counts what was done: an apply orders, and what it did are the acts that follow", async () => {
    const by = { by: "ann", drain: "orders" as DrainName };
    const entries = [
      entry(9, { act: "apply", ...by, records: [], why: "nothing was sent: 4 left (lane-halted 4)" }),
      entry(8, { act: "apply", ...by, records: of(4) }),
      entry(5, { act: "published", ...by, records: of(2) }),
      entry(4, { act: "apply", ...by, records: of(6) }),
    ];
    const { acts, people } = await sumHistory(read(entries), () => undefined);
    const both = [
      { act: "published", count: 2, first: 5, last: 5 },
      { act: "apply", count: 0, ordered: 10, first: 4, last: 9 },
    ];
    expect(acts).toEqual(both.map((one) => ({ ...one, drain: "orders" })));
    expect(people).toEqual(both.map((one) => ({ ...one, by: "ann" })));
    const rows = await rowsOf(...entries);
    expect(rows.map(({ act, count, ordered }) => [act, count, ordered])).toEqual([
      ["apply", 0, undefined],
      ["apply", 0, 10],
      ["published", 2, undefined],
    ]);
    expect(rows.map(actColumns.notes)).toEqual(["-", "10 ordered", "-"]);
  });
});
