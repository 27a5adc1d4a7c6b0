/** Two drains list the same letters: what leaves by one of them waits in neither, without a full pass of the other. */
import { expect, it } from "vitest";
import type { DrainName } from "../../../../src/job/contracts/ids.ts";
import { runPassInProcess } from "../../../../src/job/pass/drain-in-process.ts";
import { workOrdered } from "../../../../src/job/door.ts";
import { createFolder } from "../../../support/command.ts";
import { createRig } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();
const never = new AbortController().signal;
const signals = { signal: never, stopping: never };
const hourMs = 3_600_000;

const rules = (outage: string) => `
    minAge: 0s
    attempts: { max: 5, wait: [0s] }
    lane: none
    rules:
      - { name: outage, when: { responseStatus: ${outage} }, then: republish }
      - { name: gone, when: { responseStatus: 410 }, then: park }
`;

async function open() {
  const rig = await createRig({
    redisUrl: redis.url(),
    source: "{ retention: 3d }",
    document: `archive: { dir: ${createFolder().path}, volume: ephemeral }\n`,
    drain: `${rules("503")}
  money:
    mode: live
    select: { topicName: money }
${rules("500")}
  rest:
    mode: live
    select: { not: { topicName: money } }
    rules: []
`,
  });
  const { source } = rig.drain;
  const drainOf = (name: string) => ({ ...rig.core.drains.get(name as DrainName)!, source });
  return {
    ...rig,
    drainOf,
    passOf: (name: string) =>
      runPassInProcess(drainOf(name), rig.core.settings.passes, signals, () => undefined),
    left: async (name: string) => {
      const { failures = [], ...facts } = (await rig.drain.source.passes.facts(name as DrainName)) ?? {};
      const sum = (of: (one: (typeof failures)[number]) => number) =>
        failures.reduce((all, one) => all + of(one), 0);
      return {
        waiting: sum((one) => one.waiting),
        parked: sum((one) => one.parked),
        arrived: sum((one) => one.arrived),
        published: sum((one) => one.published),
        expires: sum(({ expires }) => Object.values(expires).reduce((all, one) => all + one, 0)),
        facts,
      };
    },
  };
}

const money = { topicName: "money", responseStatus: 500 };

it("asks nothing of drains that can list nothing in common", async () => {
  const { drainOf } = await open();
  expect(drainOf("main").shared?.names).toEqual(["money", "rest"]);
  expect(drainOf("money").shared?.names).toEqual(["main"]);
});

it("counts what another drain sent, parked or discarded as gone, before a full pass", async () => {
  const rig = await open();
  rig.seed(60, { ...money, responseStatus: 404 }, 71.5 * hourMs);
  rig.seed(30, { ...money, responseStatus: 410 }, 70 * hourMs);
  rig.seed(10, { responseStatus: 404 }, hourMs);
  await rig.pass();
  expect(await rig.left("main")).toMatchObject({ waiting: 70, parked: 30, expires: 90 });
  await rig.passOf("money");
  expect(await rig.left("money")).toMatchObject({ waiting: 60, parked: 30, expires: 90 });
  const { service, readAt } = rig.drain.source;
  const page = {
    ...(await service.list({ select: { topicName: ["money"] }, count: 100 }, never)),
    readAt: await readAt(),
  };
  await workOrdered({ ...rig.drainOf("money"), discard: { why: "test" } }, page, never, {
    accepts: ({ decision }) => decision.then === "drop",
  });
  expect(rig.emulator.dlq.size).toBe(10);
  expect(await rig.left("money")).toMatchObject({ waiting: 0, parked: 0, expires: 0 });
  expect(await rig.left("main")).toMatchObject({ waiting: 10, parked: 0, expires: 0, published: 0 });
  await rig.fullPass();
  expect(await rig.left("main")).toMatchObject({ waiting: 10, parked: 0, expires: 0 });
});

it("counts what another drain sent before this one had listed it as arrived, and once", async () => {
  const rig = await open();
  rig.seed(5, { responseStatus: 404 }, hourMs);
  await rig.pass();
  await rig.passOf("money");
  rig.advance(60_000);
  rig.seed(40, money, 2_000);
  await rig.passOf("money");
  expect(rig.emulator.dlq.size).toBe(5);
  expect(await rig.left("main")).toMatchObject({
    waiting: 5,
    arrived: 45,
    published: 0,
    facts: { arrivals: 40 },
  });
  await rig.pass();
  await rig.fullPass();
  expect(await rig.left("main")).toMatchObject({ waiting: 5, arrived: 45, facts: { arrivals: 40 } });
  expect(await rig.left("money")).toMatchObject({ waiting: 0, arrived: 40, published: 40 });
});
