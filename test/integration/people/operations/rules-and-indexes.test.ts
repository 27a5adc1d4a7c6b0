import { expect, it } from "vitest";
import { readFailureViews } from "../../../../src/people/read/read-failures.ts";
import { readQueueFacts } from "../../../../src/people/read/queue-facts.ts";
import { readIndexes } from "../../../../src/people/operations/indexes/read.ts";
import { toRuleStandings } from "../../../../src/people/operations/rules/read-rules.ts";
import { createRedisStatisticsStore } from "../../../../src/job/store/statistics/redis-statistics-store.ts";
import { behindTheHorizon, createRig } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();

const rules = `
    minAge: 0s
    lane: none
    attempts: { max: 5, wait: [0s] }
    rules:
      - { name: broken, when: { responseStatus: 422 }, then: park }
      - { name: outage, when: { responseStatus: 503 }, then: republish }
      - { name: gateway, when: { responseStatus: 502 }, then: republish }
      - { name: idle, when: { responseStatus: 400 }, then: park }
`;

it("each rule has what it decided, and how much of that failed again", async () => {
  const rig = await createRig({ redisUrl: redis.url(), drain: rules });
  rig.receiver.answer = () => 503;
  rig.seed(3);
  rig.seed(4, { responseStatus: 502 });
  rig.seed(2, { responseStatus: 422 });
  await rig.pass();
  await behindTheHorizon(rig);
  await rig.fullPass();
  const standings = toRuleStandings(rig.core.document, await readQueueFacts(rig.core));
  expect(standings.map(({ rule }) => rule)).toEqual(["broken", "outage", "gateway", "idle"]);
  const [broken, outage, gateway, idle] = standings;
  expect(broken).toMatchObject({ drain: "main", published: null, failedAgain: null });
  expect(outage?.decided["republish"]).toBeGreaterThan(0);
  // All seven came back with 503, and count for the rule that had sent them. Then outage sends them all.
  expect(gateway).toMatchObject({ decided: {}, published: 4, failedAgain: 4 });
  expect(outage).toMatchObject({ published: 3 + 7, failedAgain: 3 });
  const { lastSuccessAt } = (await rig.drain.source.passes.facts(rig.drain.config.name))!;
  expect(idle).toMatchObject({ decided: {}, published: null, failedAgain: null, asOf: lastSuccessAt });
}, 60_000);

it("what failed again under another kind counts for the kind that was sent", async () => {
  const rig = await createRig({ redisUrl: redis.url(), drain: rules });
  rig.receiver.answer = () => 400;
  rig.seed(5);
  await rig.pass();
  await behindTheHorizon(rig);
  await rig.fullPass();
  const views = await readFailureViews(rig.core, Date.now());
  const [sent, back] = [503, 400].map((status) => views.find((one) => one.status === status));
  const failedAgainAs = [{ id: back?.id, status: 400, count: 5 }];
  expect(sent).toMatchObject({ published: 5, failedAgain: 5, failedAgainAs });
  expect(back).toMatchObject({ published: 0, parked: 5, failedAgain: 0, failedAgainAs: [] });
}, 60_000);

it("what failed again is counted once, also by a drain that only plans and goes live later", async () => {
  const live = await createRig({ redisUrl: redis.url(), drain: rules });
  const planning = await createRig({ redisUrl: redis.url(), drain: rules, mode: "plan", twinOf: live });
  const failedAgain = async (): Promise<number | undefined> =>
    (await live.drain.source.passes.facts(live.drain.config.name))?.failures[0]?.failedAgain;
  live.receiver.answer = () => 503;
  live.seed(3);
  await live.pass();
  expect(await failedAgain()).toBe(0);
  await behindTheHorizon(live);
  await planning.fullPass();
  expect(await failedAgain()).toBe(3);
  await planning.fullPass();
  expect(await failedAgain()).toBe(3);
  live.receiver.answer = () => 200;
  await live.fullPass();
  expect(await failedAgain()).toBe(3);
}, 60_000);

it("what failed again is counted too if a listing shows it after its time was passed over", async () => {
  const rig = await createRig({ redisUrl: redis.url(), drain: rules });
  const { emulator } = rig;
  rig.receiver.answer = () => 503;
  rig.seed(3);
  await rig.pass();
  await behindTheHorizon(rig);
  const ids = emulator.journal.entries("dead-lettered").map(({ dlqId }) => dlqId);
  const late = ids.map((dlqId) => ({ ...emulator.dlq.find(dlqId) }));
  emulator.dlq.remove(ids);
  await rig.pass();
  rig.advance(20_000);
  emulator.dlq.seed(late);
  await rig.pass();
  const facts = await rig.drain.source.passes.facts(rig.drain.config.name);
  expect(facts?.failures.reduce((sum, { failedAgain }) => sum + failedAgain, 0)).toBe(3);
}, 60_000);

it("an index has its last reading from Redis, and the guards on it with their state", async () => {
  const document = `
indexes:
  products:
    id: products-1
    credentials: { user: { env: INDEX_USER }, password: { env: INDEX_PASSWORD } }
    schedule: { every: 5m }
`;
  const guarded = `${rules}
    guards:
      - { index: products, hold: pending_index_count > 100, resume: pending_index_count < 10 }
`;
  const rig = await createRig({ redisUrl: redis.url(), drain: guarded, document });
  const [before] = await readIndexes(rig.core);
  expect(before).toMatchObject({ name: "products", reading: null, guards: [{ why: "stale", value: null }] });
  const summary = { scalars: { pending_index_count: 500 }, newest: {}, days: [], unusableFields: 0 };
  await createRedisStatisticsStore(rig.core.redis).write(
    { index: "products", readAt: Date.now(), summary },
    60_000,
  );
  const [after] = await readIndexes(rig.core);
  expect(after).toMatchObject({
    reading: { summary: { scalars: { pending_index_count: 500 } } },
    guards: [{ drain: "main", effect: "closed", why: "reading", value: 500 }],
  });
});
