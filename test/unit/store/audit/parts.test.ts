import { describe, expect, test } from "vitest";
import { parseEntryText, toTexts } from "../../../../src/store/audit/entry-text.ts";
import { createAuditOver } from "../../../../src/store/audit/late-entries.ts";
import { createObservedAudit } from "../../../../src/store/audit/observed-audit.ts";
import { RedriverError } from "../../../../src/ports/errors.ts";
import type { NewAuditEntry } from "../../../../src/ports/audit.ts";
import type { DrainName, SourceId } from "../../../../src/ports/ids.ts";
import { createAuditLog } from "../../../../src/telemetry/audit-log.ts";
import { createLogger } from "../../../../src/telemetry/logger.ts";

const source = "eu" as SourceId;
const entry = (dlqId: string): NewAuditEntry => ({
  act: "delete",
  by: "daemon pod/7",
  source,
  drain: "orders" as DrainName,
  records: [{ dlqId }],
});
const idsOf = (entries: readonly NewAuditEntry[]): readonly string[] =>
  entries.flatMap(({ records }) => records.map(({ dlqId }) => dlqId));

/** Something that writes, and can be away. */
function createStore() {
  const written: NewAuditEntry[] = [];
  const store = {
    written,
    isAway: false,
    write: async (entries: readonly NewAuditEntry[]): Promise<void> => {
      await Promise.resolve();
      if (store.isAway) throw new RedriverError("redis-unavailable", "away");
      written.push(...entries);
    },
  };
  return store;
}

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
    expect(parseEntryText(text, 7, source)).toMatchObject({ at: 7, act: "republish", records });
  });

  test("tells no rule from none said, and empty from absent", () => {
    const records = [{ dlqId: "1-0", rule: null }, { dlqId: "1-1" }, { dlqId: "1-2", attempt: 0 }];
    const [text = ""] = toTexts({ ...entry("1-0"), records });
    expect(parseEntryText(text, 7, source).records).toEqual(records);
  });

  test("of another layout is refused, not misread", () => {
    expect(() => parseEntryText('{"v":2,"a":"park"}', 7, source)).toThrow(/layout 1, got 2/);
  });

  test("has a person's reason of bounded length", () => {
    const [text = ""] = toTexts({ ...entry("1-0"), why: "x".repeat(100_000) });
    expect(text.length).toBeLessThan(1_200);
  });
});

describe("an entry that cannot be written", () => {
  test("stops its act, and is not written later", async () => {
    const store = createStore();
    const audit = createAuditOver(store.write);
    store.isAway = true;
    await expect(audit.append([entry("1-0")])).rejects.toMatchObject({ code: "redis-unavailable" });
    store.isAway = false;
    await audit.append([entry("2-0")]);
    expect(idsOf(store.written)).toEqual(["2-0"]);
  });

  test("of a fact is written before whatever is written next, once", async () => {
    const store = createStore();
    const audit = createAuditOver(store.write);
    store.isAway = true;
    await audit.record([entry("1-0")]);
    await audit.record([entry("2-0")]);
    await expect(audit.append([entry("3-0")])).rejects.toMatchObject({ code: "redis-unavailable" });
    store.isAway = false;
    await Promise.all([audit.append([entry("4-0")]), audit.record([entry("5-0")])]);
    expect(idsOf(store.written)).toEqual(["1-0", "2-0", "4-0", "5-0"]);
  });

  test("of facts is kept a thousand times, the newest", async () => {
    const store = createStore();
    const audit = createAuditOver(store.write);
    store.isAway = true;
    for (let n = 0; n < 1_500; n += 1) await audit.record([entry(`${n}-0`)]);
    store.isAway = false;
    await audit.append([]);
    expect(store.written).toHaveLength(1_000);
    expect(idsOf(store.written).at(0)).toBe("500-0");
    expect(idsOf(store.written).at(-1)).toBe("1499-0");
  });

  test("is told of only as far as it is true: an intent once it is written, a fact at once", async () => {
    const store = createStore();
    const told: NewAuditEntry[] = [];
    const audit = createObservedAudit(createAuditOver(store.write), (one) => void told.push(one));
    store.isAway = true;
    await expect(audit.append([entry("1-0")])).rejects.toThrow("away");
    await audit.record([entry("2-0")]);
    expect(idsOf(told)).toEqual(["2-0"]);
    store.isAway = false;
    await audit.append([entry("3-0")]);
    expect(idsOf(told)).toEqual(["2-0", "3-0"]);
  });
});

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
      time: expect.any(Number),
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
