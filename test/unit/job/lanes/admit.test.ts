import { expect, test } from "vitest";
import { toLaneId } from "../../../../src/job/message/short-id.ts";
import { grantedForMs } from "../../../../src/job/contracts/ledger-limits.ts";
import type { LaneAsk, LaneUnused } from "../../../../src/job/contracts/lanes.ts";
import { giveBackUnpublished, spareExhausted } from "../../../../src/job/lanes/admit.ts";
import { resumeMinutesBeside, resumeMinutesOf } from "../../../../src/job/lanes/resume-minutes.ts";
import type { DrainRuntime } from "../../../../src/job/runtime.ts";
import { askGates } from "../../../../src/job/page/gates.ts";
import { idsOf, type Letter } from "../../../../src/job/page/letter.ts";
import { comeBacks, config as laneConfig, createLaneStand, origin } from "../../../support/lane-stands.ts";
import { defaultLimits, drain as name } from "../../../support/ledger-stands.ts";
import { decidedLetter, dueLetter, enteredAt, openView, type DueFields } from "../../../support/letters.ts";
import { createManualClock } from "../../../support/manual-clock.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();

const lane = toLaneId(name, origin);
const minuteOf = (index: number) => Math.floor(enteredAt / 60_000 + index) * 60_000;

/** One drain with lanes in memory, and what they were given back and told. Nothing else holds its letters. */
async function createStage() {
  const { book, advance } = createLaneStand(redis.fresh());
  const unused: LaneUnused[] = [];
  const asked: LaneAsk[] = [];
  const lanes = {
    ...book,
    ask: (...[of, given, asks]: Parameters<typeof book.ask>) => {
      asked.push(...asks);
      return book.ask(of, given, asks);
    },
    giveBack: (given: readonly LaneUnused[]) => {
      unused.push(...given);
      return book.giveBack(given);
    },
  };
  const clock = createManualClock(0);
  const source = {
    config: {},
    deliveryWatch: { isOn: () => false },
    lanes,
    clock,
    pausesOf: async () => [],
    health: { current: () => ({ state: "usable" }) },
    ledger: { limits: defaultLimits },
  };
  const config = { name, lane: laneConfig, guards: [], limits: {}, rules: [] };
  const drain = { config, source } as unknown as DrainRuntime;
  return {
    book,
    advance,
    clock,
    unused,
    asked,
    /** Answers those that go on. */
    admit: (letters: readonly Letter[]) => askGates(drain, letters, new AbortController().signal),
    spare: (letters: readonly Letter[]) => spareExhausted(drain, letters),
    giveBack: (letters: readonly Letter[]) => giveBackUnpublished(drain, letters),
    async halt(): Promise<void> {
      const { answers } = await book.ask(name, laneConfig, [{ lane, origin, wanted: 5, resumeMinutes: [] }]);
      const step = answers[0]?.step ?? 0;
      await book.sent([{ lane, step, roots: ["a", "b", "c", "d", "e"] }]);
      await book.recordComeBacks(comeBacks(step, "down", ["p1", "p2"]).map((one) => ({ ...one, lane })));
    },
  };
}

const fieldsOf = (index: number, listed: Record<string, unknown> = {}): DueFields => ({
  dlqId: `${enteredAt + index * 60_000}-${index}`,
  url: `${origin}/hook`,
  rule: "a",
  listed: { messageId: `m${index}`, responseStatus: 503, ...listed },
});
/** Each entered in a minute of its own. */
const one = (index: number, fields: DueFields = {}): Letter => dueLetter({ ...fieldsOf(index), ...fields });
/** Refused after a redrive before. */
const bad = (index: number): Letter =>
  one(index, { ...fieldsOf(index, { responseStatus: 422 }), attempt: 1 });
/** Its attempts are spent. */
const spent = (index: number, listed: Record<string, unknown> = {}): Letter =>
  decidedLetter({ then: "park", reason: "attempts-exhausted", rule: "a" }, fieldsOf(index, listed));
const inDoubt = (index: number): Letter => one(index, { view: openView() });
const some = (count: number) => Array.from({ length: count }, (_, index) => one(index));
const heldOf = (letters: readonly Letter[]) => letters.filter(({ fate }) => fate?.kind === "held");
const fatesOf = (letters: readonly Letter[]) => letters.map(({ fate }) => fate);

test("who asks again keeps its canaries, and is held by a halt since", async () => {
  const { admit, halt, clock } = await createStage();
  const free = await admit(some(5));
  await halt();
  const [plain, before] = [one(7), inDoubt(8)];
  plain.admittedAt = clock.monotonic();
  const waiting = [...free.slice(0, 2), plain, before];
  clock.advance(3_000);
  expect(await admit(waiting)).toEqual(waiting);
  clock.advance(1);
  expect(await admit(waiting)).toEqual([...free.slice(0, 2), before]);
  expect(plain.fate).toMatchObject({ decision: { reason: "lane-halted" }, why: origin });
});

test("a canary goes as long as its grant lasts, and not later", async () => {
  const { admit, clock } = await createStage();
  const free = await admit(some(5));
  clock.advance(grantedForMs(defaultLimits));
  expect(await admit(free)).toEqual(free);
  clock.advance(1);
  expect(await admit(free)).toEqual([]);
  expect(fatesOf(free)).toMatchObject(free.map(() => ({ decision: { reason: "lane-watched" } })));
});

test("canaries that have led to nothing are there for others", async () => {
  const { admit, giveBack } = await createStage();
  const page = some(9);
  const free = await admit(page);
  expect(free.map(({ sendAs }) => sendAs)).toMatchObject(
    Array.from({ length: 5 }, () => ({ step: { lane } })),
  );
  expect(heldOf(page)).toHaveLength(4);
  const published = { kind: "published", deduplicated: false, isDeleteAudited: false } as const;
  free[0]!.fate = { ...published, isOfNow: true };
  free[1]!.fate = { ...published, isOfNow: true };
  // Only its come-back counts, if there is one.
  free[2]!.fate = { kind: "in-doubt" };
  // A publish of before, which was recorded now.
  free[3]!.fate = { ...published, isOfNow: false };
  await giveBack(page);
  expect(await admit(some(9))).toHaveLength(2);
});

test("the canary of a halted lane is its probe", async () => {
  const { admit, halt, advance } = await createStage();
  const isProbe = async (index: number) => (await admit([one(index)]))[0]?.sendAs?.isProbe;
  expect(await isProbe(0)).toBe(false);
  await halt();
  await advance(laneConfig.probeEveryMs);
  expect(await isProbe(1)).toBe(true);
});

const exhausted = () => [
  spent(1),
  spent(2, { responseStatus: 422 }),
  spent(3, { url: "https://other.example.com/" }),
];

test("what has no attempts left is kept while its lane is suspected, if it failed as in an outage", async () => {
  const { spare, halt } = await createStage();
  const before = exhausted();
  expect(await spare(before)).toEqual(before);
  await halt();
  const after = [...exhausted(), one(4)];
  expect(await spare(after)).toEqual(after.slice(1, 3));
  expect(fatesOf(after)).toEqual([
    { kind: "held", decision: { then: "hold", reason: "lane-halted", rule: "a" } },
    null,
    null,
    null,
  ]);
});

test("what is known to be bad is called back if there is nothing else", async () => {
  for (const [letters, place] of [
    [[bad(0), bad(1), one(7)], minuteOf(7)],
    [[bad(0)], minuteOf(0)],
  ] as const) {
    const { admit, halt, book, advance } = await createStage();
    await halt();
    await admit(letters);
    await advance(laneConfig.probeEveryMs);
    expect((await book.due()).ready).toEqual([{ drain: name, resumeMinutes: [place] }]);
  }
});

test("if what is left lies in none of the places that were told, those are told behind the answer", async () => {
  const { admit, unused } = await createStage();
  const page = some(7);
  await admit(page);
  expect(idsOf(heldOf(page))).toEqual(idsOf([one(1), one(5)]));
  expect(unused).toMatchObject([{ lane, count: 0, resumeMinutes: [minuteOf(1), minuteOf(5)] }]);
  const other = await createStage();
  const larger = some(20);
  await other.admit(larger);
  expect(heldOf(larger)).toHaveLength(15);
  expect(other.unused).toEqual([]);
});

const entered = (...minutes: readonly number[]) =>
  minutes.map((minute) => ({ enteredAt: minute * 60_000 + 17 }));
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

const byService = (index: number): Letter => {
  const letter = one(index);
  letter.item = { ...letter.due, via: "service" };
  return letter;
};

test("what keeps its own retries asks for places in a step only if there is nothing else", async () => {
  const stage = await createStage();
  const mixed = [byService(0), byService(1), one(2), one(3)];
  const goes = await stage.admit(mixed);
  expect(idsOf(goes)).toEqual(idsOf(mixed.slice(2)));
  const watched = { decision: { reason: "lane-watched" } };
  expect(fatesOf(mixed.slice(0, 2))).toMatchObject([watched, watched]);
  const alone = [byService(4), byService(5)];
  expect(idsOf(await stage.admit(alone))).toEqual(idsOf(alone));
});

test("where callbacks tell of deliveries, what can carry none waits for what can, and is judged by silence alone", async () => {
  const stage = await createStage();
  const reporting = (index: number): Letter => {
    const letter = one(index);
    letter.item = { ...letter.due, proofAddress: "https://callbacks.example/redriver" };
    return letter;
  };
  const mixed = [one(0), one(1), reporting(2), reporting(3)];
  expect(idsOf(await stage.admit(mixed))).toEqual(idsOf(mixed.slice(2)));
  const alone = [one(4), one(5)];
  expect(idsOf(await stage.admit(alone))).toEqual(idsOf(alone));
  expect(stage.asked.map(({ isSilent }) => isSilent)).toEqual([false, true]);
});
