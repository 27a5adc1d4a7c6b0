import { describe, expect, it } from "vitest";
import { takeCensus } from "../../../../src/job/census/count-and-copy-expiring.ts";
import { readQueueFacts } from "../../../../src/people/read/queue-facts.ts";
import { readStatus } from "../../../../src/people/operations/status/read.ts";
import { createRig, type Rig } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();
const hourMs = 3_600_000;
const never = new AbortController().signal;
const signals = { signal: never, stopping: never };

const rules = `
    minAge: 0s
    rules:
      - { name: outage, when: { responseStatus: 503 }, then: republish }
      - { name: lost, when: { responseStatus: 410 }, then: park }
`;
const held = { responseStatus: 404 };

async function expiring({ core }: Rig) {
  const [source] = (await readQueueFacts(core)).sources;
  if (source === undefined) throw new Error("the rig has a source");
  return source.expiring;
}

async function census(rig: Rig): Promise<void> {
  const { source, config, documentHash } = rig.drain;
  await takeCensus({ source, drains: [config], documentHash, archive: null }, signals);
}

const open = (more: Partial<Parameters<typeof createRig>[0]> = {}): Promise<Rig> =>
  createRig({ redisUrl: redis.url(), source: "{ retention: 3d }", drain: rules, ...more });

describe("what expires within a day", () => {
  it("is not known before anything has counted the source, and is not 0", async () => {
    const rig = await open();
    rig.seed(5, held, 60 * hourMs);
    expect(await expiring(rig)).toMatchObject({ count: null, atLeast: 0, asOf: null, groups: [] });
  });

  it("is known from a full pass, without a census, and what is published is taken off", async () => {
    const rig = await open();
    const [first] = rig.seed(5, held, 71.5 * hourMs);
    rig.seed(7, { responseStatus: 410 }, 60 * hourMs);
    rig.seed(4, { responseStatus: 503 }, 60 * hourMs);
    rig.seed(9, held, 20 * hourMs);
    await rig.pass();
    const found = await expiring(rig);
    expect(found).toMatchObject({ count: 12, atLeast: 12, asOf: expect.any(Number) as number });
    expect(found.groups.map(({ count, parked, drain }) => [count, parked, drain])).toEqual([
      [5, 0, "main"],
      [7, 7, "main"],
    ]);
    const enteredAt = Number(first?.split("-")[0]);
    expect(found.groups[0]?.earliestAt).toBe(enteredAt + 72 * hourMs);
  });

  it("shows what a pass has seen so far as at least so many, until everything is counted", async () => {
    const rig = await open({ drain: `    select: { responseStatus: 404 }\n${rules}` });
    rig.seed(5, held, 60 * hourMs);
    const lost = rig.seed(3, { responseStatus: 500 }, 61 * hourMs);
    await rig.pass();
    // What no drain selects, nobody has counted.
    expect(await expiring(rig)).toMatchObject({ count: null, atLeast: 5, asOf: null });
    await census(rig);
    const found = await expiring(rig);
    expect(found).toMatchObject({ count: 8, atLeast: 8 });
    expect(found.groups.map(({ count, drain }) => [count, drain])).toEqual([
      [3, null],
      [5, "main"],
    ]);
    expect(found.groups[0]?.earliestAt).toBe(Number(lost[0]?.split("-")[0]) + 72 * hourMs);
  });

  it("is the census's while no full pass has ended", async () => {
    const rig = await open();
    rig.seed(5, held, 60 * hourMs);
    rig.seed(2, held, 20 * hourMs);
    await census(rig);
    expect(await expiring(rig)).toMatchObject({ count: 5, atLeast: 5, asOf: expect.any(Number) as number });
  });

  it("falls with what a later pass publishes, and goes on with the day until the next full pass", async () => {
    const rig = await open({ drain: rules.replace("minAge: 0s", "minAge: 49h") });
    rig.seed(6, { responseStatus: 503 }, 48.5 * hourMs);
    await rig.pass();
    expect(await expiring(rig)).toMatchObject({ count: 6 });
    rig.advance(hourMs);
    await rig.pass();
    expect(rig.emulator.dlq.size).toBe(0);
    expect(await expiring(rig)).toMatchObject({ count: 0, groups: [] });
  });

  it("is everything where the retention is a day or less", async () => {
    const rig = await open({ source: "{ retention: 1d }" });
    rig.seed(5, held, 0);
    rig.advance(10_000);
    await rig.pass();
    expect(await expiring(rig)).toMatchObject({ count: 5 });
  });

  it("names for each kind what would save it, and only what can be done", async () => {
    const rig = await open({ mode: "plan" });
    rig.seed(5, held, 71 * hourMs);
    rig.seed(7, { responseStatus: 410 }, 60 * hourMs);
    await rig.pass();
    const status = await readStatus(rig.core, { nextRuns: new Map(), problems: 0, now: Date.now() });
    const [first, second] = status.expiring.groups;
    expect(status.expiring).toMatchObject({ count: 12 });
    expect(first?.saves).toEqual([
      { act: "plan", command: `redriver plan main --failure ${String(first?.failure)} --keep` },
    ]);
    expect(second?.saves.map(({ act }) => act)).toEqual(["release"]);
  });
});

describe("since when a kind fails", () => {
  it("is when its first dead letter entered the queue, not when redriver first looked", async () => {
    const rig = await open();
    const [first] = rig.seed(5, held, 5 * hourMs);
    await rig.pass();
    rig.seed(5, held, 0);
    rig.advance(10_000);
    await rig.pass();
    const status = await readStatus(rig.core, { nextRuns: new Map(), problems: 0, now: Date.now() });
    const at = Number(first?.split("-")[0]);
    expect(status.drains[0]?.destinations[0]?.failingSince).toBe(at);
    expect(status.drains[0]?.failures?.[0]?.since).toBe(at);
  });

  it("stays when the oldest are published, and begins anew after the queue had none", async () => {
    const rig = await open({ drain: rules.replace("minAge: 0s", "minAge: 2h") });
    const [first] = rig.seed(3, { responseStatus: 503 }, 1.5 * hourMs);
    await rig.pass();
    rig.seed(3, { responseStatus: 503 }, 0);
    rig.advance(hourMs);
    await rig.pass();
    const since = async (): Promise<number | null | undefined> =>
      (await readQueueFacts(rig.core)).drains[0]?.facts?.failures[0]?.since;
    expect(rig.emulator.dlq.size).toBe(3);
    expect(await since()).toBe(Number(first?.split("-")[0]));
    rig.advance(2 * hourMs);
    await rig.fullPass();
    expect(rig.emulator.dlq.size).toBe(0);
    expect(await since()).toBeNull();
    const [again] = rig.seed(1, { responseStatus: 503 }, -3 * hourMs);
    rig.advance(10_000);
    await rig.pass();
    expect(await since()).toBe(Number(again?.split("-")[0]));
  });
});
