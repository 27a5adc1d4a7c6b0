import { expect, test } from "vitest";
import { toLaneId } from "../../../../src/job/lanes/lane-id.ts";
import { nextLineage } from "../../../../src/job/message/lineage.ts";
import type { LaneUnused } from "../../../../src/job/contracts/lanes.ts";
import { admitAgain, admitToLanes, giveBackUnpublished } from "../../../../src/job/lanes/admit.ts";
import { resumeMinutesBeside, resumeMinutesOf } from "../../../../src/job/lanes/resume-minutes.ts";
import type { DrainRuntime } from "../../../../src/job/runtime.ts";
import type { Candidate, DecidedRecord } from "../../../../src/job/page/records.ts";
import { comeBacks, config, createLaneStand, origin } from "../../../support/lane-stands.ts";
import { drain as name } from "../../../support/ledger-stands.ts";
import { enteredAt, letterOf } from "../../../support/letters.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();

const lane = toLaneId(name, origin);
const minuteOf = (index: number) => Math.floor(enteredAt / 60_000 + index) * 60_000;

/** One drain with lanes in memory, and what they were given back and told. */
async function createStage() {
  const { book, advance } = createLaneStand(redis.fresh());
  const unused: LaneUnused[] = [];
  const lanes = {
    ...book,
    giveBack: (given: readonly LaneUnused[]) => {
      unused.push(...given);
      return book.giveBack(given);
    },
  };
  const source = {
    config: {},
    deliveryWatch: { isOn: () => false },
    lanes,
    clock: { monotonic: () => 0 },
    ledger: { limits: {} },
  };
  const drain = { config: { name, lane: config }, source } as unknown as DrainRuntime;
  return {
    book,
    advance,
    unused,
    admit: (candidates: readonly Candidate[], exhausted: readonly DecidedRecord[] = []) =>
      admitToLanes(drain, candidates, exhausted),
    /** The stage's clock says 0. */
    admitAgain: (candidates: readonly Candidate[], agoMs: number) => admitAgain(drain, candidates, -agoMs),
    giveBack: (unpublished: readonly Candidate[]) => giveBackUnpublished(drain, unpublished),
    async halt(): Promise<void> {
      const { answers } = await book.ask(name, config, [{ lane, origin, wanted: 5, resumeMinutes: [] }]);
      const step = answers[0]?.step ?? 0;
      await book.sent([{ lane, step, roots: ["a", "b", "c", "d", "e"] }]);
      await book.recordComeBacks(comeBacks(step, "down", ["p1", "p2"]).map((one) => ({ ...one, lane })));
    },
  };
}

/** Each entered in a minute of its own. */
function one(index: number, fields: Record<string, unknown> = {}, more: object = {}): Candidate {
  const id = `${enteredAt + index * 60_000}-${index}`;
  const letter = letterOf({ dlqId: id, messageId: `m${index}`, responseStatus: 503, ...fields });
  return {
    letter,
    lineage: nextLineage(letter, { kind: "none" }, 0),
    view: { state: "absent" },
    decision: { then: "republish", reason: "due", rule: "a" },
    sendAs: null,
    target: { destination: `${origin}/hook` },
    attempt: 0,
    ...more,
  } as unknown as Candidate;
}
/** Refused after a redrive before. */
const bad = (index: number): Candidate => {
  const of = one(index, { responseStatus: 422 });
  return { ...of, lineage: { ...of.lineage, attempt: 2 } };
};
const some = (count: number) => Array.from({ length: count }, (_, index) => one(index));
const idsOf = (records: readonly Pick<Candidate, "letter">[]) => records.map(({ letter }) => letter.dlqId);

test("what may have been published before goes on although its lane is halted", async () => {
  const { admit, halt } = await createStage();
  await halt();
  const before = one(1, {}, { view: { state: "open", pastHorizon: false } });
  const { free, held } = await admit([one(0), before]);
  expect(free).toEqual([before]);
  expect(held).toMatchObject([{ decision: { then: "hold", reason: "lane-halted" }, why: origin }]);
});

test("who asks again keeps its canaries, and is held by a halt since", async () => {
  const { admit, admitAgain, halt } = await createStage();
  const { free } = await admit(some(5));
  await halt();
  const before = one(8, {}, { view: { state: "open", pastHorizon: false } });
  const waiting = [...free.slice(0, 2), one(7), before];
  expect(await admitAgain(waiting, 3_000)).toBeNull();
  const again = await admitAgain(waiting, 3_001);
  expect(again?.free).toEqual([...free.slice(0, 2), before]);
  expect(again?.held).toMatchObject([{ decision: { reason: "lane-halted" }, why: origin }]);
});

test("canaries that have led to nothing are there for others", async () => {
  const { admit, giveBack } = await createStage();
  const { free, held } = await admit(some(9));
  expect(free.map(({ sendAs }) => sendAs)).toMatchObject(
    Array.from({ length: 5 }, () => ({ step: { lane } })),
  );
  expect(held).toHaveLength(4);
  await giveBack(free.slice(3));
  expect((await admit(some(9))).free).toHaveLength(2);
});

test("what has no attempts left is kept while its lane is suspected, where it failed as in an outage", async () => {
  const { admit, halt } = await createStage();
  const other = { url: "https://other.example.com/" };
  const exhausted = [one(1), one(2, { responseStatus: 422 }), one(3, other)] as unknown as DecidedRecord[];
  expect((await admit([], exhausted)).kept).toEqual([]);
  await halt();
  const { kept, free } = await admit([], exhausted);
  expect(idsOf(kept.map(({ candidate }) => candidate))).toEqual(idsOf(exhausted.slice(0, 1)));
  expect(kept).toMatchObject([{ decision: { then: "hold", reason: "lane-halted" } }]);
  expect(free).toEqual([]);
});

test("what is known to be bad is called back where there is nothing else", async () => {
  for (const [candidates, place] of [
    [[bad(0), bad(1), one(7)], minuteOf(7)],
    [[bad(0)], minuteOf(0)],
  ] as const) {
    const { admit, halt, book, advance } = await createStage();
    await halt();
    await admit(candidates);
    await advance(config.probeEveryMs);
    expect((await book.due()).ready).toEqual([{ drain: name, resumeMinutes: [place] }]);
  }
});

test("where what is left lies in none of the places that were told, those are told behind the answer", async () => {
  const { admit, unused } = await createStage();
  const { held } = await admit(some(7));
  expect(idsOf(held.map(({ candidate }) => candidate))).toEqual(idsOf([one(1), one(5)]));
  expect(unused).toMatchObject([{ lane, count: 0, resumeMinutes: [minuteOf(1), minuteOf(5)] }]);
  const other = await createStage();
  expect((await other.admit(some(20))).held).toHaveLength(15);
  expect(other.unused).toEqual([]);
});

const entered = (...minutes: readonly number[]) =>
  minutes.map((minute) => ({ letter: { enteredAt: minute * 60_000 + 17 } }) as never);
const starts = (minutes: readonly number[]) => minutes.map((minute) => minute * 60_000);

test.each([
  [[], []],
  [[7], [7]],
  [[7, 7.5, 7.9], [7]],
  [
    [9, 3, 5],
    [3, 5],
  ],
  [
    [9, 8, 7, 6],
    [6, 8],
  ],
])("entries in minutes %j give the resume minutes %j", (minutes, resumeMinutes) => {
  expect(resumeMinutesOf(entered(...minutes))).toEqual(starts(resumeMinutes));
});

test.each([
  [[3, 8], [], []],
  [[3, 8], [4, 8.5], []],
  [
    [3, 8],
    [6, 4, 5],
    [4, 5],
  ],
])("beside the minutes %j, held entries in minutes %j add %j", (known, held, resumeMinutes) => {
  expect(resumeMinutesBeside(starts(known), entered(...held))).toEqual(starts(resumeMinutes));
});
