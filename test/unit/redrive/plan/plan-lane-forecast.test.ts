import { expect, test } from "vitest";
import type { LaneConfig, LimitsConfig } from "../../../../src/ports/drains.ts";
import type { LaneAsk } from "../../../../src/ports/lanes.ts";
import { createLaneDemand } from "../../../../src/redrive/plan/lane-forecast.ts";
import type { SurveyedRecord } from "../../../../src/redrive/plan/survey.ts";
import type { DrainRuntime } from "../../../../src/redrive/runtime.ts";
import { toLaneId } from "../../../../src/redrive/lanes/lane-id.ts";
import { config, driverOf, memoryLanes, origin } from "../../../support/lane-stands.ts";
import { drain as name } from "../../../support/ledger-stands.ts";
import { letterOf } from "../../../support/letters.ts";

async function createStage(lane: LaneConfig | null = config, limits: LimitsConfig = {}) {
  const { book: kept, now, advance } = await memoryLanes();
  const id = toLaneId(name, origin);
  const asked: LaneAsk[] = [];
  // The driver's lane has a name of its own.
  const own = (one: string): string => (one === "laneA12345" ? id : one);
  const book: typeof kept = {
    ...kept,
    ask: (drain, given, asks) =>
      kept.ask(
        drain,
        given,
        asks.map((one) => ({ ...one, lane: own(one.lane) })),
      ),
    sent: (sent) => kept.sent(sent.map((one) => ({ ...one, lane: own(one.lane) }))),
    note: (back) => kept.note(back.map((one) => ({ ...one, lane: own(one.lane) }))),
    looked: (step, at, back) => kept.looked({ ...step, lane: own(step.lane) }, at, back),
  };
  const lanes: Pick<typeof kept, "ask" | "viewsOf"> = {
    ask(drain, given, asks) {
      asked.push(...asks);
      return kept.ask(drain, given, asks);
    },
    viewsOf: (ids) => kept.viewsOf(ids),
  };
  const runtime = {
    config: { name, limits, ...(lane === null ? {} : { lane }) },
    source: { lanes },
  } as unknown as DrainRuntime;
  const driver = driverOf({ book, now, advance });
  return { driver, book, demand: createLaneDemand(runtime), advance, asked };
}

const due = (url = `${origin}/hook`, view: object = { state: "absent" }): SurveyedRecord =>
  ({
    decided: { letter: letterOf({ url }), view, decision: { then: "republish", reason: "due", rule: "a" } },
    candidate: { view, toItem: () => ({ destination: url, headers: {}, body: "" }) },
  }) as unknown as SurveyedRecord;
const exhausted = (responseStatus: number, url = `${origin}/hook`): SurveyedRecord =>
  ({
    decided: {
      letter: letterOf({ url, responseStatus }),
      view: { state: "absent" },
      decision: { then: "park", reason: "attempts-exhausted", rule: "a" },
    },
    candidate: null,
  }) as unknown as SurveyedRecord;

test("a halted lane keeps what an outage has exhausted from being parked, and nothing else", async () => {
  const { driver, demand } = await createStage();
  await driver.halt();
  for (const record of [due(), due(), exhausted(503), exhausted(503), exhausted(422)]) demand.add(record);
  const forecast = await demand.forecast();
  expect(forecast?.lanes).toMatchObject([
    { origin, due: 2, kept: 2, state: "halted", canaries: [1, 1], nextInMs: 300_000, durationMs: 360_000 },
  ]);
});

test("a probe that is out is judged by its own watch, long before another goes", async () => {
  const { driver, demand, advance } = await createStage();
  await driver.halt();
  await advance(config.probeEveryMs);
  await driver.step(1);
  for (let count = 0; count < 9; count += 1) demand.add(due());
  const forecast = await demand.forecast();
  expect(forecast?.lanes).toMatchObject([
    { state: "halted", sent: 1, nextInMs: config.watchMs, canaries: [9], durationMs: config.watchMs },
  ]);
});

test("what is parked for good is no business of a lane that is not suspected", async () => {
  const { demand } = await createStage();
  demand.add(exhausted(503));
  expect(await demand.forecast()).toEqual({ watchMs: 60_000, lanes: [], more: { lanes: 0, due: 0 } });
});

test("what may have been published before waits for no lane", async () => {
  const { demand } = await createStage();
  demand.add(due(undefined, { state: "open", pastHorizon: false }));
  expect(await demand.forecast()).toMatchObject({ lanes: [], more: { due: 0 } });
});

test("a lane that was open and is long unused is new, whatever it was", async () => {
  const { driver, demand, advance } = await createStage();
  await driver.open();
  for (let count = 0; count < 60; count += 1) demand.add(due());
  expect((await demand.forecast())?.lanes).toMatchObject([
    { state: "open", sinceMs: 0, canaries: [], plain: 60 },
  ]);
  await advance(3_600_001);
  expect((await demand.forecast())?.lanes).toMatchObject([
    {
      state: "canary",
      sinceMs: null,
      why: null,
      canaries: [5, 50],
      plain: 5,
      watches: 2,
      durationMs: 120_000,
    },
  ]);
});

test("how a lane stands is known, however many others were used since or wait more", async () => {
  const { driver, book, demand, advance } = await createStage();
  await driver.open();
  await advance(1_000);
  const others = Array.from({ length: 250 }, (_, index) => ({ origin: `https://h${index}.example.com` }));
  const asks = others.map(({ origin: of }) => ({ lane: of, origin: of, wanted: 5, places: [] }));
  await book.ask(name, config, asks);
  demand.add(due());
  expect((await demand.forecast())?.lanes).toMatchObject([{ state: "open", sinceMs: 1_000 }]);
});

test("a watched step holds all until it is silent", async () => {
  const { driver, demand, advance } = await createStage();
  await driver.step(5);
  await advance(20_000);
  for (let count = 0; count < 60; count += 1) demand.add(due());
  expect((await demand.forecast())?.lanes).toMatchObject([
    {
      state: "canary",
      sent: 5,
      nextInMs: 40_000,
      canaries: [50],
      plain: 10,
      watches: 1,
      durationMs: 100_000,
    },
  ]);
});

const second = (count: number) => ({ count, perMs: 1_000 });

test("what goes by rates goes no sooner: by the drain's with all that is due, by the host's with its own", async () => {
  const other = "https://other.example.com/hook";
  const byHost = (await createStage(config, { perHost: second(2) })).demand;
  for (let count = 0; count < 6; count += 1) byHost.add(due());
  byHost.add(due(other));
  expect((await byHost.forecast())?.lanes).toMatchObject([{ limitsMs: 3_000 }, { limitsMs: 500 }]);
  const byDrain = (await createStage(config, { perHost: second(2), publish: second(1) })).demand;
  for (let count = 0; count < 6; count += 1) byDrain.add(due());
  byDrain.add(due(other));
  expect((await byDrain.forecast())?.lanes).toMatchObject([{ limitsMs: 7_000 }, { limitsMs: 7_000 }]);
});

test("lanes are asked with nothing wanted and no place named, at most ten; the rest is summed up", async () => {
  const { demand, asked } = await createStage();
  for (let host = 0; host < 2_005; host += 1) demand.add(due(`https://h${host}.example.com/`));
  demand.add(due("https://h7.example.com/"));
  const forecast = await demand.forecast();
  expect(forecast?.lanes).toHaveLength(10);
  expect(forecast?.lanes[0]).toMatchObject({ origin: "https://h7.example.com", due: 2 });
  expect(forecast?.more).toEqual({ lanes: 1_991, due: 1_995 });
  expect(asked).toHaveLength(10);
  expect(asked.every(({ wanted, places }) => wanted === 0 && places.length === 0)).toBe(true);
});

test("a drain without lanes foresees none, and asks nobody", async () => {
  const { demand, asked } = await createStage(null);
  demand.add(due());
  expect(await demand.forecast()).toBeNull();
  expect(asked).toEqual([]);
});
