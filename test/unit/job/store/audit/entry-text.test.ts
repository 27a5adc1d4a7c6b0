import { describe, expect, test } from "vitest";
import { parseEntryText, toTexts } from "../../../../../src/job/store/audit/entry-text.ts";
import type { AuditRecord, NewAuditEntry } from "../../../../../src/job/contracts/audit.ts";
import { entry, source } from "../../../../support/audit-entry.ts";

const of = (count: number, hostOf: (n: number) => string | undefined): readonly AuditRecord[] =>
  Array.from({ length: count }, (_, n) => {
    const host = hostOf(n);
    return { dlqId: `1-${n}`, ...(host === undefined ? {} : { host }) };
  });

/** As one text. */
const toText = (of: Partial<NewAuditEntry>): string => toTexts({ ...entry("1-0"), ...of })[0] ?? "";

const skims = (act: string): boolean => act === "park";

describe("the text of an entry", () => {
  test("keeps rule, reason and attempt once for all records that share them", () => {
    const records = Array.from({ length: 100 }, (_, n) => ({
      dlqId: `1725323658779-${n}`,
      rule: "gateway-or-connection-failure",
      reason: "due",
      attempt: 1,
    }));
    const [text = "", ...more] = toTexts({ ...entry("1-0"), act: "republish", records });
    expect(more).toEqual([]);
    expect(text.match(/gateway-or-connection-failure/g)).toHaveLength(1);
    expect(text.length / 100).toBeLessThan(25);
    expect(parseEntryText(text, 7, source, {})).toMatchObject({ at: 7, act: "republish", records });
  });

  test("tells no rule from none said, and empty from absent", () => {
    const records = [{ dlqId: "1-0", rule: null }, { dlqId: "1-1" }, { dlqId: "1-2", attempt: 0 }];
    const text = toText({ records });
    expect(parseEntryText(text, 7, source, {})?.records).toEqual(records);
  });

  test.each<{ hosts: (n: number) => string | undefined; perRecord: number; name: string }>([
    { name: "of none", hosts: () => undefined, perRecord: 0 },
    { name: "of one host", hosts: () => "pay.example.com", perRecord: 0.25 },
    { name: "of one host or none", hosts: (n) => (n % 3 === 0 ? undefined : "a.example"), perRecord: 1.3 },
    { name: "of four hosts", hosts: (n) => `host-${n % 4}.example.com`, perRecord: 2.1 },
    { name: "of sixty hosts", hosts: (n) => `h${n % 60}`, perRecord: 5 },
  ])("keeps the host of each of a hundred records $name, for few bytes", ({ hosts, perRecord }) => {
    const records = of(100, hosts);
    const text = toText({ records });
    const bare = toText({ records: of(100, () => undefined) });
    expect(parseEntryText(text, 7, source, {})?.records).toEqual(records);
    expect((text.length - bare.length) / 100).toBeLessThanOrEqual(perRecord);
  });

  test("keeps as many hosts as have room, and never another one's host", () => {
    const records = of(100, (n) => `host-${n}.of-a-customer.example.com`);
    const text = toText({ records });
    const read = parseEntryText(text, 7, source, {})?.records ?? [];
    const known = read.filter(({ host }) => host !== undefined);
    expect(known.length).toBeGreaterThan(10);
    expect(records).toEqual(expect.arrayContaining([...known]));
    const bare = toText({ records: of(100, () => undefined) });
    expect((text.length - bare.length) / 100).toBeLessThan(6.3);
  });

  test("stands for its records by host where they are only counted", () => {
    const records = of(100, (n) => (n % 4 === 3 ? undefined : `host-${n % 4}`));
    const ruled = records.map((one) => ({ ...one, rule: "outage", notes: ["canary"] }));
    const text = toText({ records: ruled });
    const counted = parseEntryText(text, 7, source, { isCounted: true })?.records;
    const one = { dlqId: "1-0", rule: "outage", notes: ["canary"], count: 25 };
    expect(counted).toEqual([
      { ...one, host: "host-0" },
      { ...one, host: "host-1" },
      { ...one, host: "host-2" },
      one,
    ]);
    const comeBacks = of(2, () => "host-0").map((record) => ({ ...record, parent: "0-0" }));
    const other = toText({ records: comeBacks });
    expect(parseEntryText(other, 7, source, { isCounted: true })?.records).toEqual(comeBacks);
  });

  test("is not parsed where its act is skimmed or not asked for", () => {
    const broken = '{"v":1,"a":"park","b":';
    const bare = { at: 7, act: "park", by: "", source, drain: null, records: [] };
    expect(parseEntryText(broken, 7, source, { skims })).toEqual(bare);
    expect(parseEntryText(broken, 7, source, { acts: new Set(["drop"]) })).toBeNull();
    expect(() => parseEntryText(broken, 7, source, {})).toThrow(SyntaxError);
    const other = toText({ act: "republish" });
    expect(parseEntryText(other, 7, source, { skims })?.records).toHaveLength(1);
    const ofLater = other.replace('"v":1', '"v":2');
    expect(() => parseEntryText(ofLater, 7, source, { skims })).toThrow(/layout 1, got 2/);
  });

  test("of other acts or another actor is left out where these are asked for", () => {
    const text = toText({ by: "ann" });
    expect(
      parseEntryText(text, 7, source, { acts: new Set(["delete"]), by: (by) => by === "ann" }),
    ).not.toBeNull();
    expect(parseEntryText(text, 7, source, { acts: new Set(["park"]) })).toBeNull();
    expect(parseEntryText(text, 7, source, { by: (by) => by === "bob" })).toBeNull();
  });

  test("has a person's reason of bounded length", () => {
    const text = toText({ why: "x".repeat(100_000) });
    expect(text.length).toBeLessThan(1_200);
  });
});
