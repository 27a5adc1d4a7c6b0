import { describe, expect, it } from "vitest";
import type { BatchItem, DlqId } from "../../../../src/message/dead-letter.ts";
import type { DrainName, SourceId } from "../../../../src/ports/ids.ts";
import type { LedgerView } from "../../../../src/ports/ledger-entries.ts";
import type { Decision } from "../../../../src/rules/decision.ts";
import { hashItem, hashRecord } from "../../../../src/redrive/plan/content-hash.ts";
import { estimate, type EstimateInput } from "../../../../src/redrive/plan/estimate.ts";
import type { LaneWait } from "../../../../src/redrive/plan/lane-waits.ts";
import { createPlanWriter, readPlan, type PlanHead } from "../../../../src/redrive/plan/plan-file.ts";
import { isParkedAlready, toPlanned, type PlanRecord } from "../../../../src/redrive/plan/plan-record.ts";
import { createSamples } from "../../../../src/redrive/plan/samples.ts";
import { compareWithPlan } from "../../../../src/redrive/plan/compare-with-plan.ts";
import { createSelection } from "../../../../src/redrive/plan/selection.ts";
import type { SurveyedRecord } from "../../../../src/redrive/plan/survey.ts";
import { createTopCount } from "../../../../src/redrive/plan/top-count.ts";
import { letterOf, rawRecord } from "../../../support/letters.ts";

const orders = "orders" as DrainName;

const head: PlanHead = {
  redriverPlan: 1,
  createdAt: 1,
  version: "0.1.0",
  documentHash: "d",
  flags: { showContent: false },
  drains: [{ drain: orders, source: "eu" as SourceId, address: "a", rulesHash: "r", from: 0, to: 9 }],
};

function planned(n: number, fields: Partial<PlanRecord> = {}): PlanRecord {
  return {
    drain: orders,
    dlqId: `${n}-0` as DlqId,
    hash: "h",
    then: "republish",
    reason: "due",
    rule: "outage",
    item: "i",
    attempt: 0,
    url: "https://a.example.com/x\u2028\u009b",
    status: 503,
    ...fields,
  };
}

function toText(records: readonly PlanRecord[]): string {
  const writer = createPlanWriter();
  return [writer.head(head), ...records.map((one) => writer.record(one)), writer.end()].join("");
}

async function* chunksOf(text: string, size: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += size) {
    yield await Promise.resolve(bytes.subarray(start, start + size));
  }
}

describe("a plan's file", () => {
  it.each([1, 7, 100_000])(
    "is read as it was written, in chunks of %i bytes, whatever line ends a text holds",
    async (size) => {
      const records = [planned(1), planned(2, { then: "hold", reason: "rule" }), planned(3)];
      const read: PlanRecord[] = [];
      const reading = await readPlan(chunksOf(toText(records), size), (record) => read.push(record));
      expect(reading).toMatchObject({ ok: true, head, records: 3 });
      expect(read).toEqual(records);
    },
  );

  it("holds no character that a terminal would act on", () => {
    expect(toText([planned(1)])).not.toMatch(/[\u2028\u009b]/);
  });

  it("is refused at every place where it is cut", async () => {
    const text = toText([planned(1), planned(2)]);
    for (let end = 0; end < text.length - 1; end += 1) {
      const reading = await readPlan(chunksOf(text.slice(0, end), 1_000), () => undefined);
      expect(reading.ok, `cut at ${end}`).toBe(false);
    }
    // The last line end alone may be missing.
    expect((await readPlan(chunksOf(text.slice(0, -1), 1_000), () => undefined)).ok).toBe(true);
  });

  it("is refused whatever single character of it is another one", async () => {
    const text = toText([planned(1)]);
    for (let at = 0; at < text.length - 1; at += 1) {
      const other = text[at] === "1" ? "2" : "1";
      const edited = text.slice(0, at) + other + text.slice(at + 1);
      const reading = await readPlan(chunksOf(edited, 1_000), () => undefined);
      expect(reading.ok, `edited at ${at}`).toBe(false);
    }
  });

  it.each([
    ["a record of a drain that the head has not", planned(1, { drain: "other" as DrainName })],
    ["a record without a proper id", planned(1, { dlqId: "x" as DlqId })],
    ["a republish without its item", { ...planned(1), item: undefined } as unknown as PlanRecord],
    ["an unknown decision", planned(1, { then: "burn" as never })],
  ])("is refused with %s", async (_name, record) => {
    expect(await readPlan(chunksOf(toText([record]), 1_000), () => undefined)).toEqual({
      ok: false,
      problem: "line 2: expected a record of one of the plan's drains",
    });
  });

  it("may have nothing behind its end", async () => {
    const text = toText([planned(1)]);
    expect(await readPlan(chunksOf(`${text}${text}`, 1_000), () => undefined)).toMatchObject({ ok: false });
  });
});

const itemOf = (id: string, header: string): BatchItem => ({
  destination: "https://a.example.com/",
  headers: {
    "Upstash-Deduplication-Id": id,
    "Upstash-Forward-X-Redriver": id,
    "Upstash-Retries": header,
  },
});

describe("hashes", () => {
  it("do not ask for the order of a record's fields or headers, and for everything else", () => {
    const raw = rawRecord({ header: { A: ["1"], B: ["2"] }, body: "x" });
    const turned = Object.fromEntries(
      Object.entries({ ...raw, header: { B: ["2"], A: ["1"] } }).toReversed(),
    );
    expect(hashRecord(turned)).toBe(hashRecord(raw));
    expect(hashRecord({ ...raw, body: "y" })).not.toBe(hashRecord(raw));
    expect(hashRecord({ ...raw, header: { A: ["1"], B: ["3"] } })).not.toBe(hashRecord(raw));
    expect(hashRecord({ ...raw, unknown: 1 })).not.toBe(hashRecord(raw));
  });

  it("of an item leave out what differs between two attempts at the same", () => {
    expect(hashItem(itemOf("a", "3"), "Upstash-")).toBe(hashItem(itemOf("b", "3"), "Upstash-"));
    expect(hashItem(itemOf("a", "3"), "Upstash-")).not.toBe(hashItem(itemOf("a", "2"), "Upstash-"));
  });

  it("are made of a record that is nested deeper than JSON can be written", () => {
    let deep: unknown = 1;
    for (let depth = 0; depth < 100_000; depth += 1) deep = [deep];
    expect(hashRecord(rawRecord({ deep }))).toHaveLength(22);
  });
});

function surveyed(decision: Decision, view: LedgerView = { state: "absent" }, fields = {}): SurveyedRecord {
  const raw = rawRecord(fields);
  const letter = letterOf(fields);
  const decided = {
    raw,
    letter,
    reading: { kind: "none" },
    view,
    viewedAt: 0,
    isNewComeBack: false,
    attempt: 0,
    decision,
    explanation: "",
  };
  const item = { destination: letter.url, headers: {}, body: letter.body };
  const candidate = decision.then === "republish" ? { ...decided, toItem: () => item, losses: [] } : null;
  return { decided, candidate } as unknown as SurveyedRecord;
}

const due: Decision = { then: "republish", reason: "due", rule: "outage", set: {} };
const parkedView: LedgerView = {
  state: "parked",
  reason: "rule",
  drain: orders,
  rulesHash: "r",
  attempt: 0,
  firstAt: 0,
};

describe("a planned record that is listed again", () => {
  const prefix = "Upstash-";
  const republish = toPlanned(surveyed(due), prefix);
  const park = toPlanned(surveyed({ then: "park", reason: "rule", rule: "broken" }), prefix);

  it.each<[string, SurveyedRecord, string]>([
    ["the same", surveyed(due), "as-planned"],
    ["in doubt by an earlier apply", surveyed({ ...due, reason: "reconcile" }), "as-planned"],
    [
      "published and listed still",
      surveyed({ then: "settle", reason: "published-before", rule: null }),
      "as-planned",
    ],
    ["decided by another rule", surveyed({ ...due, rule: "other" }), "otherwise"],
    ["dropped now", surveyed({ then: "drop", reason: "rule", rule: "outage" }), "otherwise"],
    ["parked now", surveyed({ then: "park", reason: "rule", rule: "broken" }), "otherwise"],
    ["held by a rule now", surveyed({ then: "hold", reason: "rule", rule: "outage" }), "otherwise"],
    [
      "waiting for its time now",
      surveyed({ then: "hold", reason: "waiting", rule: "outage", until: 9 }),
      "otherwise",
    ],
    ["in somebody's hands", surveyed({ then: "hold", reason: "in-flight", rule: null }), "not-now"],
    ["cooling", surveyed({ then: "hold", reason: "cooling", rule: null, until: 9 }), "not-now"],
    [
      "of another body, and so of another item",
      surveyed(due, { state: "absent" }, { body: "other" }),
      "changed",
    ],
  ])("%s is %s", (_name, now, found) => {
    expect(compareWithPlan(republish, now, prefix)).toBe(found);
  });

  it("is decided otherwise when it would become another item", () => {
    expect(compareWithPlan({ ...republish, item: "another" }, surveyed(due), prefix)).toBe("otherwise");
  });

  it("is parked by the same rule, or parked already as the ledger knows", () => {
    expect(compareWithPlan(park, surveyed({ then: "park", reason: "rule", rule: "broken" }), prefix)).toBe(
      "as-planned",
    );
    expect(
      compareWithPlan(park, surveyed({ then: "park", reason: "rule", rule: null }, parkedView), prefix),
    ).toBe("done");
    expect(compareWithPlan(park, surveyed({ then: "park", reason: "refused", rule: null }), prefix)).toBe(
      "otherwise",
    );
    const byAnother: Decision = { then: "park", reason: "rule", rule: "other" };
    expect(compareWithPlan(park, surveyed(byAnother), prefix)).toBe("otherwise");
    expect(compareWithPlan(park, surveyed(byAnother, parkedView), prefix)).toBe("otherwise");
    expect(compareWithPlan(park, surveyed({ ...byAnother, rule: "broken" }, parkedView), prefix)).toBe(
      "done",
    );
    expect(compareWithPlan(park, surveyed(due), prefix)).toBe("otherwise");
  });

  it("is no order where it waits for a person already", () => {
    expect(isParkedAlready(surveyed({ then: "park", reason: "rule", rule: null }, parkedView), "r2")).toBe(
      true,
    );
    expect(isParkedAlready(surveyed({ then: "park", reason: "rule", rule: "b" }, parkedView), "r")).toBe(
      true,
    );
    expect(isParkedAlready(surveyed({ then: "park", reason: "rule", rule: "b" }, parkedView), "r2")).toBe(
      false,
    );
    expect(isParkedAlready(surveyed({ then: "park", reason: "rule", rule: "b" }), "r")).toBe(false);
    const selection = createSelection();
    for (const record of [
      planned(1),
      planned(2, { then: "park", already: true }),
      planned(3, { then: "hold" }),
      planned(4, { then: "drop" }),
    ]) {
      selection.add(record);
    }
    expect([...selection.of(orders).keys()]).toEqual(["1-0", "4-0"]);
  });
});

const draw = (order: readonly DlqId[]): readonly DlqId[] => {
  const samples = createSamples<DlqId>(5);
  for (const dlqId of order) samples.offer(dlqId, () => dlqId);
  return samples.all();
};

describe("samples", () => {
  it("are the same ones whatever the order, a few, and not all from one end", () => {
    const ids = Array.from({ length: 1_000 }, (_, index) => `${1_000 + index}-0` as DlqId);
    const drawn = draw(ids);
    expect(drawn).toHaveLength(5);
    expect(draw(ids.toReversed())).toEqual(drawn);
    const positions = drawn.map((dlqId) => ids.indexOf(dlqId));
    expect(positions).toEqual(positions.toSorted((one, other) => one - other));
    expect(Math.max(...positions) - Math.min(...positions)).toBeGreaterThan(300);
  });

  it("ask for a sample only where one is kept", () => {
    const samples = createSamples<number>(2);
    let asked = 0;
    for (let index = 0; index < 2_000; index += 1) samples.offer(`${index}-0` as DlqId, () => (asked += 1));
    expect(asked).toBeLessThan(40);
  });
});

describe("a top count", () => {
  it("shows the most frequent, and counts the rest together", () => {
    const count = createTopCount<string>(100);
    for (const key of ["b", "a", "c", "a", "d"]) count.add(key);
    expect(count.top(2)).toEqual({
      top: [
        { key: "a", count: 2 },
        { key: "b", count: 1 },
      ],
      more: { kinds: 2, count: 2 },
    });
  });

  it("loses nobody, and grows no further, when there are more kinds than it tells apart", () => {
    const count = createTopCount<number>(10);
    for (let key = 0; key < 1_000; key += 1) count.add(key);
    const { top, more } = count.top(20);
    expect(top).toHaveLength(10);
    expect(more).toEqual({ kinds: 1, count: 990 });
  });
});

/** A day's ceiling, two hours before the day's end. */
function day(limit: number, used: number): Partial<EstimateInput> {
  return { room: { perDay: { limit, used, left: Math.max(0, limit - used), endsInMs: 7_200_000 } } };
}

function waitsFor(...lanes: readonly Partial<LaneWait>[]): Partial<EstimateInput> {
  const open: LaneWait = {
    origin: "https://a.example.com",
    due: 9,
    kept: 0,
    state: "open",
    sinceMs: 1_000,
    why: null,
    sent: 0,
    nextInMs: 0,
  };
  const more = { lanes: 0, due: 0 };
  return { lanes: { watchMs: 60_000, lanes: lanes.map((one) => ({ ...open, ...one })), more } };
}

describe("an estimate", () => {
  const input: EstimateInput = {
    limits: {},
    listed: 1_000,
    publishes: 500,
    firstPublishes: 500,
    room: { perDay: null },
    lanes: null,
    worstBilled: 2_000,
    deletes: 500,
    itemsPerPublish: 100,
    busiestHost: { host: "a.example.com", count: 400 },
    rules: [],
  };

  it.each<[string, Partial<EstimateInput>, object]>([
    [
      "calls alone",
      {},
      { durationMs: 3_000, boundBy: { kind: "calls" }, calls: { list: 10, publish: 5, remove: 5 } },
    ],
    [
      "the drain's rate",
      { limits: { publish: { count: 20, perMs: 1_000 } } },
      { durationMs: 25_000, boundBy: { kind: "publish" } },
    ],
    [
      "the busiest host",
      { limits: { publish: { count: 20, perMs: 1_000 }, perHost: { count: 10, perMs: 1_000 } } },
      { durationMs: 40_000, boundBy: { kind: "host", host: "a.example.com" } },
    ],
    [
      "a rule's own rate",
      { rules: [{ rule: "slow", rate: { count: 1, perMs: 60_000 }, count: 3 }] },
      { durationMs: 180_000, boundBy: { kind: "rule", rule: "slow" } },
    ],
    [
      "a pass's ceiling, which waits for nobody",
      { limits: { perPass: 200 } },
      { passes: 3, days: 1, durationMs: 3_000 },
    ],
    ["a day's ceiling with room enough", day(1_000, 500), { days: 1, durationMs: 3_000 }],
    [
      "a day's ceiling of which most is used: today and tomorrow",
      day(1_000, 600),
      { days: 2, durationMs: 7_200_600, boundBy: { kind: "day", limit: 1_000 } },
    ],
    ["a day's ceiling that is used up: only tomorrow", day(1_000, 1_000), { days: 1, durationMs: 7_203_000 }],
    ["a day's ceiling that is lower than it was", day(200, 350), { days: 3, durationMs: 180_000_600 }],
    [
      "a day's ceiling that counts only what is new",
      { ...day(1_000, 600), firstPublishes: 400 },
      { days: 1, durationMs: 3_000 },
    ],
    [
      "a rate that takes longer than waiting for the next day",
      { ...day(1_000, 600), limits: { publish: { count: 1, perMs: 60_000 } } },
      { days: 2, durationMs: 30_000_000, boundBy: { kind: "publish" } },
    ],
    [
      "a lane that goes on later than all that, and what it sends then is not counted",
      waitsFor({ nextInMs: 2_000 }, { origin: "https://b.example.com", state: "halted", nextInMs: 120_000 }),
      { durationMs: 120_000, atLeast: true, boundBy: { kind: "lane", origin: "https://b.example.com" } },
    ],
    [
      "calls, and lasts longer by the steps of a lane that is new",
      waitsFor({ state: "canary" }),
      { durationMs: 3_000, atLeast: true, boundBy: { kind: "calls" } },
    ],
    [
      "no lane that is open, or to which nothing is due",
      waitsFor({ nextInMs: 60_000 }, { state: "halted", due: 0, kept: 4, nextInMs: 60_000 }),
      { durationMs: 3_000, atLeast: false, boundBy: { kind: "calls" } },
    ],
    ["nothing to do", { publishes: 0, deletes: 0, listed: 0 }, { durationMs: 150, passes: 1, days: 1 }],
  ])("is bound by %s", (_name, fields, expected) => {
    expect(estimate({ ...input, ...fields })).toMatchObject(expected);
  });
});
