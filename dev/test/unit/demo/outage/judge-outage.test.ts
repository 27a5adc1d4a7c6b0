import { describe, expect, it } from "vitest";
import {
  toFacts,
  type HostFacts,
  type Try,
  type WatchedEntry,
} from "../../../../demo/outage/replay-journal.ts";
import { judgeOutage, type OutageEvidence } from "../../../../demo/outage/judge-outage.ts";
import { createNarrator } from "../../../../demo/outage/narrate.ts";

const origin = "http://orders.localhost:1";
const url = `${origin}/hook`;

/** Entries of a journal, 100 ms apart. */
function toJournal(happenings: readonly object[]): readonly WatchedEntry[] {
  return happenings.map((happening, index) => ({
    ...happening,
    seq: index + 1,
    at: (index + 1) * 100,
  })) as unknown as readonly WatchedEntry[];
}
const accepted = (messageId: string, bodySha256: string) => ({
  type: "accepted",
  messageId,
  url,
  bodySha256,
});
const delivery = (messageId: string, status: number) => ({
  type: "delivery",
  messageId,
  url,
  status,
  outcome: status === 200 ? "delivered" : "failed",
});
const died = (messageId: string, dlqId: string) => ({ type: "dead-lettered", messageId, dlqId, url });

describe("what the journal says of a host", () => {
  const entries = toJournal([
    accepted("m1", "body"),
    delivery("m1", 503),
    died("m1", "1-0"),
    accepted("m2", "body"),
    { type: "deleted", dlqIds: ["1-0"] },
    delivery("m2", 503),
    died("m2", "2-0"),
    accepted("m3", "body"),
    { type: "deleted", dlqIds: ["2-0", "9-9"] },
    delivery("m3", 200),
  ]);

  it("counts every publish of a body but the first as a try, and says what became of it", () => {
    expect(toFacts(entries, origin).tries).toEqual([
      { at: 400, outcome: "came back", status: 503, endedAt: 700 },
      { at: 800, outcome: "delivered", status: 200, endedAt: 1_000 },
    ]);
  });

  it("follows its dead letters", () => {
    expect(toFacts(entries, origin).depths).toEqual([
      { at: 300, deadLetters: 1 },
      { at: 500, deadLetters: 0 },
      { at: 700, deadLetters: 1 },
      { at: 900, deadLetters: 0 },
    ]);
  });

  it("leaves out other hosts, also one whose port begins alike", () => {
    expect(toFacts(entries, "http://mails.localhost:1")).toEqual({ tries: [], depths: [] });
    expect(toFacts(toJournal([{ ...died("m1", "1-0"), url: `${origin}2/hook` }]), origin).depths).toEqual([]);
  });
});

const backAt = 30_000;
const cameBack = (at: number): Try => ({ at, outcome: "came back", status: 503, endedAt: at + 50 });
const delivered = (at: number): Try => ({ at, outcome: "delivered", status: 200, endedAt: at + 50 });
const drained: HostFacts = {
  tries: [],
  depths: [
    { at: 1_000, deadLetters: 1 },
    { at: 9_000, deadLetters: 0 },
  ],
};
/** Five canaries, two probes, and after its return a third and a step. */
const kept: readonly Try[] = [
  ...[5_000, 5_000, 5_010, 5_200, 5_900].map(cameBack),
  cameBack(9_500),
  cameBack(14_000),
  delivered(31_000),
  ...Array.from({ length: 50 }, (_, index) => delivered(33_100 + index)),
];
const evidenceOf = (tries: readonly Try[], other = drained): OutageEvidence => ({
  down: { tries, depths: [] },
  other,
  backAt,
  lane: { canary: 5, watchMs: 2_000, probeEveryMs: 3_000 },
  names: { down: "orders", other: "mails" },
});

describe("the verdict on an outage", () => {
  it("finds nothing where lanes keep what they promise", () => {
    expect(judgeOutage(evidenceOf(kept))).toEqual([]);
  });

  it.each<{ name: string; tries?: readonly Try[]; other?: HostFacts; says: string }>([
    {
      name: "more than the canaries sent to a host that is down",
      tries: [cameBack(4_900), ...kept],
      says: "6 messages went to orders in the first 2.0 s while it was down, expected at most 5",
    },
    {
      name: "probes that are too close",
      tries: kept.toSpliced(6, 0, cameBack(11_000)),
      says: "1 of 3 probes followed the message before them too soon, once after 1.5 s, expected at least 3.0 s",
    },
    {
      name: "a first probe that is too close to the canaries",
      tries: kept.toSpliced(5, 0, cameBack(7_000)),
      says: "1 of 3 probes followed the message before them too soon, once after 1.1 s, expected at least 3.0 s",
    },
    {
      name: "an outage in which nothing was tried",
      tries: kept.slice(7),
      says: "no message was tried with orders while it was down",
    },
    {
      name: "another host that was not drained meanwhile",
      other: { ...drained, depths: drained.depths.map((depth) => ({ ...depth, at: depth.at + 25_000 })) },
      says: "mails was not drained while orders was down: 1 dead letters",
    },
    {
      name: "another host that had nothing to drain",
      other: { tries: [], depths: [] },
      says: "mails was not drained while orders was down: no dead letters",
    },
    {
      name: "a flood as soon as one was taken",
      tries: kept.map((tried) => (tried.at > 33_000 ? { ...tried, at: tried.at - 1_500 } : tried)),
      says: "50 messages followed the first that orders took within 2.0 s, expected fewer than 5",
    },
    {
      name: "a machine that is too busy",
      tries: kept.toSpliced(8, 0, { ...cameBack(33_100), status: 0 }),
      other: { ...drained, tries: [{ ...cameBack(8_000), status: 0 }] },
      says: "2 answers of hosts that were up came too late: this machine is too busy for the demo, and such a message may arrive twice",
    },
  ])("finds $name", ({ tries = kept, other = drained, says }) => {
    expect(judgeOutage(evidenceOf(tries, other))).toEqual([says]);
  });
});

describe("what is told of an outage", () => {
  const move = { origin, to: "halted", size: 0, text: "halted: 5 of 5" };

  it("is each burst once, when all of it has ended, and each move of the lane", () => {
    const tell = createNarrator(origin, "orders");
    const moves = [{ ...move, at: 6_000 }];
    const canaries = kept.slice(0, 5);
    const underWay = canaries.with(4, { ...canaries[4]!, outcome: "under way", endedAt: null });
    const seen = (tries: readonly Try[], now: number) => ({ facts: { tries, depths: [] }, moves, now });
    expect(tell({ ...seen(underWay, 7_000), moves: [] })).toEqual([]);
    expect(tell(seen(canaries, 7_000))).toEqual([
      "orders was sent 5 of a step: 5 came back with 503",
      "redriver: halted: 5 of 5",
    ]);
    expect(tell(seen(kept.slice(0, 6), 10_500))).toEqual(["orders was sent a probe: 1 came back with 503"]);
    expect(tell(seen(kept.slice(0, 6), 10_500))).toEqual([]);
    expect(
      tell({
        ...seen([...kept.slice(0, 6), delivered(40_000)], 50_000),
        moves: [...moves, { ...move, at: 20_000, to: "open", text: "open" }],
      }),
    ).toEqual(["redriver: open"]);
  });

  it("is nothing of the lane of another host", () => {
    const tell = createNarrator("http://mails.localhost:1", "mails");
    expect(tell({ facts: { tries: [], depths: [] }, moves: [{ ...move, at: 1 }], now: 2 })).toEqual([]);
  });
});
