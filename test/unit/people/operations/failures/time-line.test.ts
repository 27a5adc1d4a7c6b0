import { expect, it } from "vitest";
import { readTimeLine } from "../../../../../src/people/operations/failures/time-line.ts";
import type {
  AuditEntry,
  AuditLane,
  AuditReader,
  AuditRecord,
} from "../../../../../src/job/contracts/audit.ts";
import type { LedgerView } from "../../../../../src/job/contracts/ledger-entries.ts";
import type { DrainName, SourceId } from "../../../../../src/job/contracts/ids.ts";

const origin = "https://pay.example.com";
const failure = { id: "0123456789", origin, source: "eu" as SourceId, firstMetAt: 3_600_000 };
const drain = "orders" as DrainName;

const entry = (at: number, fields: Partial<AuditEntry>): AuditEntry => ({
  at,
  act: "republish",
  by: "daemon r-1",
  source: failure.source,
  drain,
  records: [],
  ...fields,
});
const sent = (at: number, record: Partial<AuditRecord>): AuditEntry =>
  entry(at, { records: [{ dlqId: `${at}-0`, host: "pay.example.com", notes: ["canary"], ...record }] });
const moved = (at: number, from: AuditLane["from"], to: AuditLane["to"], why: string): AuditEntry =>
  entry(at, {
    act: to === "halted" ? "lane-halted" : to === "open" ? "lane-opened" : "lane-resumed",
    lane: { origin, from, to, why, sent: 1, comeBacks: 1 },
  });

/** `entries`: oldest first. */
async function timeLineOf(
  entries: readonly AuditEntry[],
  halted: readonly string[] = [],
  back: readonly string[] = [],
) {
  const reader: AuditReader = {
    async *read({ skims }) {
      for (const one of entries.toReversed()) {
        const { at, act, source } = one;
        yield skims?.(act) === true ? { at, act, by: "", source, drain: null, records: [] } : one;
      }
    },
    cutAt: () => Promise.resolve(0),
    lineageOf: () => Promise.resolve(new Set()),
  };
  const toView = (id: string): LedgerView =>
    back.includes(id) ? { state: "gone", at: 0, cameBack: true } : { state: "absent" };
  const ledger = {
    peek: (ids: readonly string[]) =>
      Promise.resolve({ views: ids.map(toView), epoch: "e", sequence: 0, at: 0 }),
  };
  return readTimeLine(reader, ledger, failure, halted);
}

/** What the time line says of each probe, the newest first. */
async function resultsOf(...of: Parameters<typeof timeLineOf>) {
  const { entries: shown } = await timeLineOf(...of);
  return shown.flatMap(({ probed = [] }) => probed).map(({ dlqId, result }) => [dlqId, result]);
}

const halt = moved(1_000, "canary", "halted", "5 of 5 failed again, 503");

it("a probe that came back says as what, and when that entered the queue again", async () => {
  const back = sent(4_000, { dlqId: "3000-0", parent: "2000-0" });
  expect(await resultsOf([halt, sent(2_000, {}), back], ["orders"])).toEqual([
    ["3000-0", { kind: "newest" }],
    ["2000-0", { kind: "came-back", as: "3000-0", at: 3_000 }],
  ]);
  const parked = entry(4_000, {
    act: "park",
    records: [{ dlqId: "3000-0", parent: "2000-0", host: "pay.example.com" }],
  });
  expect(await resultsOf([halt, sent(2_000, {}), parked], ["orders"])).toEqual([
    ["2000-0", { kind: "came-back", as: "3000-0", at: 3_000 }],
  ]);
});

it("a reset shows nothing of a probe, and a probe that a person asks for is no result", async () => {
  const lane = { origin, from: "halted", to: "canary", why: "x", sent: 1, comeBacks: 0 } as const;
  const reset = entry(3_000, { act: "lane-reset", lane });
  expect(await resultsOf([halt, sent(2_000, {}), reset])).toEqual([["2000-0", { kind: "reset" }]]);
  const asked = entry(3_000, { act: "lane-probe", lane: { ...lane, to: "halted" } });
  expect(await resultsOf([halt, sent(2_000, {}), asked], ["orders"])).toEqual([
    ["2000-0", { kind: "newest" }],
  ]);
});

it("a probe that failed before a person asked for another keeps its answer", async () => {
  const why = "a probe failed again, 503";
  const lane = { origin, from: "halted", to: "halted", why, sent: 0, comeBacks: 0 } as const;
  const asked = entry(3_000, { act: "lane-probe", lane });
  expect(await resultsOf([halt, sent(2_000, {}), asked, sent(4_000, {})], ["orders"])).toEqual([
    ["4000-0", { kind: "newest" }],
    ["2000-0", { kind: "stayed-halted", why }],
  ]);
});

it("a probe that failed before the next one went by itself keeps that it did", async () => {
  expect(await resultsOf([halt, sent(2_000, {}), sent(4_000, {})], ["orders"], ["2000-0"])).toEqual([
    ["4000-0", { kind: "newest" }],
    ["2000-0", { kind: "stayed-halted", why: "a probe failed again" }],
  ]);
});

it("canaries of a lane that is not halted, of another host, drain or source are no probes", async () => {
  const others = [
    sent(500, {}),
    halt,
    sent(2_000, { host: "shop.example.com" }),
    sent(2_001, { notes: [] }),
    { ...sent(2_002, {}), drain: "refunds" as DrainName },
    { ...sent(2_003, {}), source: "us" as SourceId },
  ];
  expect(await resultsOf(others, ["orders"])).toEqual([]);
});

it("what a person discards of the kind is one row for each order, and each letter counts once", async () => {
  const dropped = (at: number, why: string, kind: string, ...dlqIds: readonly string[]) =>
    entry(at, {
      act: "drop",
      by: "ada",
      why,
      records: dlqIds.map((dlqId) => ({ dlqId, reason: "discarded", notes: [`failure:${kind}`] })),
    });
  const { entries } = await timeLineOf([
    dropped(1_000, "plan a: INC-7", failure.id, "1-0", "2-0"),
    // Begun a second time.
    dropped(2_000, "plan a: INC-7", failure.id, "2-0", "3-0"),
    dropped(3_000, "plan a: INC-7", "ffffffffff", "4-0"),
    dropped(4_000, "plan b: INC-8", failure.id, "5-0"),
    entry(5_000, { act: "drop", records: [{ dlqId: "6-0", rule: "old", reason: "rule" }] }),
  ]);
  expect(entries).toMatchObject([
    { at: 4_000, by: "ada", why: "plan b: INC-8", count: 1 },
    { at: 1_000, by: "ada", why: "plan a: INC-7", count: 3 },
  ]);
});

it("an apply is one row with how many of the kind it ordered, and says so if it did nothing for the kind", async () => {
  const apply = (at: number, kind: string, ...dlqIds: readonly string[]) =>
    entry(at, {
      act: "apply",
      orderedAt: at < 6_000 ? 900 : 5_900,
      by: "ada",
      why: "the receiver is up",
      records: dlqIds.map((dlqId) => ({ dlqId, reason: "due", notes: [`failure:${kind}`] })),
    });
  const nothing = { act: "apply", by: "ada", why: "nothing was sent: 2 gone" } as const;
  const { entries } = await timeLineOf([
    apply(1_000, failure.id, "1-0", "2-0", "3-0"),
    apply(2_000, failure.id, "4-0", "5-0"),
    apply(3_000, "ffffffffff", "6-0"),
    entry(4_000, nothing),
    entry(5_000, { ...nothing, host: `failure:${failure.id}` }),
    // Another apply, of what the first one left: what that ordered stays.
    apply(6_000, failure.id, "4-0", "5-0"),
    apply(6_500, failure.id, "5-0", "7-0"),
    halt,
    entry(9_000, { act: "apply", orderedAt: 5_900, by: "ada", why: "3 sent", host: `failure:${failure.id}` }),
  ]);
  expect(entries.map(({ orderedAt, at, until, count, why }) => [orderedAt, at, until, count, why])).toEqual([
    [5_900, 6_000, 9_000, 3, "3 sent"],
    [undefined, halt.at, undefined, undefined, undefined],
    [undefined, 5_000, undefined, undefined, nothing.why],
    [900, 1_000, 2_000, 5, "the receiver is up"],
  ]);
});
