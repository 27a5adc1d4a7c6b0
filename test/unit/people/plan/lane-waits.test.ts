import { expect, test } from "vitest";
import type { LaneConfig } from "../../../../src/job/contracts/drains-document.ts";
import type { LedgerView } from "../../../../src/job/contracts/ledger-entries.ts";
import type { LaneAsk } from "../../../../src/job/contracts/lanes.ts";
import { readLaneStandings } from "../../../../src/people/read/lane-standings.ts";
import { createLaneWaitCount } from "../../../../src/people/plan/lane-waits.ts";
import type { Letter } from "../../../../src/job/page/letter.ts";
import type { DrainRuntime } from "../../../../src/job/runtime.ts";
import { config, createLaneStand, driverOf, origin } from "../../../support/lane-stands.ts";
import { drain as name } from "../../../support/ledger-stands.ts";
import { decidedLetter, dueLetter } from "../../../support/letters.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();

async function createStage(lane: LaneConfig | null = config) {
  const stand = createLaneStand(redis.fresh());
  const { book, advance } = stand;
  const asked: LaneAsk[] = [];
  const lanes: Pick<typeof book, "ask" | "viewsOf"> = {
    ask(drain, given, asks) {
      asked.push(...asks);
      return book.ask(drain, given, asks);
    },
    viewsOf: (ids) => book.viewsOf(ids),
  };
  const runtime = {
    config: { name, ...(lane === null ? {} : { lane }) },
    source: { lanes },
  } as unknown as DrainRuntime;
  return { driver: driverOf(stand), book, count: createLaneWaitCount(runtime), advance, asked, runtime };
}

const due = (url = `${origin}/hook`, view: LedgerView = { state: "absent" }): Letter =>
  dueLetter({ url, view, rule: "a" });
const exhausted = (responseStatus: number): Letter =>
  decidedLetter(
    { then: "park", reason: "attempts-exhausted", rule: "a" },
    { url: `${origin}/hook`, listed: { responseStatus } },
  );

test("a halted lane keeps what an outage has exhausted from being parked, and nothing else", async () => {
  const { driver, count } = await createStage();
  await driver.halt();
  for (const record of [due(), due(), exhausted(503), exhausted(503), exhausted(422)]) count.add(record);
  const waits = await count.read();
  expect(waits?.lanes).toMatchObject([{ origin, due: 2, kept: 2, state: "halted", nextInMs: 300_000 }]);
});

test("a probe that is out is judged by its own watch, long before another goes", async () => {
  const { driver, count, advance } = await createStage();
  await driver.halt();
  await advance(config.probeEveryMs);
  await driver.step(1);
  for (let sent = 0; sent < 9; sent += 1) count.add(due());
  const probed = async () => (await count.read())?.lanes[0];
  expect(await probed()).toMatchObject({ state: "halted", sent: 1, nextInMs: config.watchMs });
  await advance(config.watchMs - 1_000);
  expect(await probed()).toMatchObject({ sent: 1, nextInMs: 1_000 });
  await advance(2_000);
  expect(await probed()).toMatchObject({ sent: 1, nextInMs: 0 });
});

test("a lane that was open and is long unused is new, whatever it was", async () => {
  const { driver, count, advance } = await createStage();
  await driver.open();
  for (let sent = 0; sent < 60; sent += 1) count.add(due());
  expect((await count.read())?.lanes).toMatchObject([{ state: "open", sinceMs: 0, nextInMs: 0 }]);
  await advance(3_600_001);
  expect((await count.read())?.lanes).toMatchObject([{ state: "canary", sinceMs: null, nextInMs: 0 }]);
});

test("how a lane stands is known, however many others were used since or wait more", async () => {
  const { driver, book, count, advance } = await createStage();
  await driver.open();
  await advance(1_000);
  const others = Array.from({ length: 250 }, (_, index) => ({ origin: `https://h${index}.example.com` }));
  const asks = others.map(({ origin: of }) => ({ lane: of, origin: of, wanted: 5, resumeMinutes: [] }));
  await book.ask(name, config, asks);
  count.add(due());
  expect((await count.read())?.lanes).toMatchObject([{ state: "open", sinceMs: 1_000 }]);
});

test("lanes are asked with nothing wanted and no place named, at most ten; the rest is summed up", async () => {
  const { count, asked } = await createStage();
  for (let host = 0; host < 2_005; host += 1) count.add(due(`https://h${host}.example.com/`));
  count.add(due("https://h7.example.com/"));
  const waits = await count.read();
  expect(waits?.lanes).toHaveLength(10);
  expect(waits?.lanes[0]).toMatchObject({ origin: "https://h7.example.com", due: 2 });
  expect(waits?.more).toEqual({ lanes: 1_991, due: 1_995 });
  expect(asked).toHaveLength(10);
  expect(asked.every(({ wanted, resumeMinutes }) => wanted === 0 && resumeMinutes.length === 0)).toBe(true);
});

test("more lanes than one call takes are asked in several, each once", async () => {
  const { asked, runtime } = await createStage();
  const origins = Array.from({ length: 250 }, (_, index) => `https://h${index % 240}.example.com`);
  const standings = await readLaneStandings(runtime, origins);
  expect(standings.size).toBe(240);
  expect(standings.get("https://h239.example.com")).toMatchObject({ state: "canary", size: 5, sent: 0 });
  expect(asked.map(({ origin: of }) => of)).toEqual(origins.slice(0, 240));
});
