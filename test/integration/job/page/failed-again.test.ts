import { expect, it } from "vitest";
import { readStatus } from "../../../../src/people/operations/status/read.ts";
import { runListingChecks } from "../../../../src/job/lanes/listing-checks.ts";
import { behindTheHorizon, createRig, never, type Rig } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();
const watchMs = 60_000;

/** A drain that learns the rate of each host. */
const open = (lane: string): Promise<Rig> =>
  createRig({
    redisUrl: redis.url(),
    drain: `
    minAge: 0s
    attempts: { wait: [0s] }
    lane: ${lane}
    limits: { perHost: auto }
    rules: [{ name: outage, when: { responseStatus: [422, 503] }, then: republish }]
`,
  });

async function rateOf({ drain: { source, config } }: Rig): Promise<number | undefined> {
  const [host] = await source.capacity.learned({ source: source.config.id, drain: config.name }, 1);
  return host?.perSecond;
}

it("a pass that meets messages which failed again slows their host down", async () => {
  const rig = await open("none");
  rig.receiver.answer = () => 503;
  rig.seed(3);
  await rig.pass();
  expect(await rateOf(rig)).toBe(10);
  await behindTheHorizon(rig);
  await rig.fullPass();
  expect(await rateOf(rig)).toBe(5);
  // Those three are sent again and come back, in the same watch.
  await behindTheHorizon(rig);
  await rig.fullPass();
  expect(await rateOf(rig)).toBe(5);
  rig.advance(watchMs);
  await behindTheHorizon(rig);
  await rig.fullPass();
  expect(await rateOf(rig)).toBe(2);
  const status = await readStatus(rig.core, { nextRuns: new Map(), problems: 0, now: Date.now() });
  const host = new URL(rig.receiver.url).host;
  expect(status.drains[0]?.hostRates).toMatchObject([{ host, perSecond: 2 }]);
});

it("a refused message says nothing about the rate of its host", async () => {
  const rig = await open("none");
  rig.receiver.answer = () => 422;
  rig.seed(3);
  await rig.pass();
  await behindTheHorizon(rig);
  await rig.fullPass();
  expect(await rateOf(rig)).toBe(10);
});

it("a listing check that finds canaries back slows their host down, and a probe does not", async () => {
  const lane = "{ canary: 5, watch: 5s, haltAt: 20%, probeEvery: 5s }";
  const rig = await open(lane);
  rig.receiver.answer = () => 503;
  rig.seed(5);
  await rig.pass();
  await rig.emulator.idle();
  rig.advance(5_100);
  await runListingChecks(rig.drain.source, never);
  expect(rig.eventsOf("lane:moved").at(-1)).toMatchObject({ to: "halted" });
  expect(await rateOf(rig)).toBe(5);
  // A message that was a canary lately waits a minute for others.
  rig.advance(70_000);
  await rig.fullPass();
  await rig.emulator.idle();
  expect(rig.receiver.deliveries).toHaveLength(6);
  rig.advance(5_100);
  await runListingChecks(rig.drain.source, never);
  await behindTheHorizon(rig);
  await rig.fullPass();
  expect(await rateOf(rig)).toBe(5);
});
