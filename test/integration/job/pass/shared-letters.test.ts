/** Two drains list the same letters: what leaves by one of them waits in neither, without a full pass of the other. */
import { expect, it } from "vitest";
import type { DrainName } from "../../../../src/job/contracts/ids.ts";
import { runPassInProcess } from "../../../../src/job/pass/drain-in-process.ts";
import { workOrdered } from "../../../../src/job/door.ts";
import { createFolder } from "../../../support/command.ts";
import { createRig, hourMs, never } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();
const signals = { signal: never, stopping: never };

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

/** Of main, which sends 500, and partners and crm, which list the same: how many each has sent, and how many failed again. */
async function openSenders(select = "{}") {
  const rig = await createRig({
    redisUrl: redis.url(),
    drain: `    select: ${select}
${rules("500")}
  partners:
    mode: live
    rules: [{ name: wait, then: hold }]
  crm:
    mode: plan
${rules("503")}
`,
  });
  rig.receiver.answer = () => 503;
  const { source } = rig.drain;
  const drainOf = (name: string) => ({ ...rig.core.drains.get(name as DrainName)!, source });
  const names = ["main", "partners", "crm"];
  const pass = async (first = "main"): Promise<void> => {
    for (const name of [first, ...names.filter((one) => one !== first)]) {
      await runPassInProcess(drainOf(name), rig.core.settings.passes, signals, () => undefined);
    }
    await rig.emulator.idle();
    rig.advance(60_000);
  };
  const counted = async () => {
    const all = names.map(async (name) => {
      const { failures = [] } = (await source.passes.facts(name as DrainName)) ?? {};
      const sum = (of: "published" | "failedAgain") => failures.reduce((all, one) => all + one[of], 0);
      return [name, [sum("published"), sum("failedAgain")]];
    });
    return Object.fromEntries(await Promise.all(all)) as unknown;
  };
  return { ...rig, source, drainOf, pass, counted };
}

it.each(["main", "partners", "crm"])(
  "what a plan sent fails again for its drain, if %s lists it first",
  async (first) => {
    const { seed, source, pass, drainOf, emulator, advance, counted } = await openSenders();
    seed(5, {}, 10_000);
    await pass();
    const page = {
      ...(await source.service.list({ select: {}, count: 100 }, never)),
      readAt: await source.readAt(),
    };
    const { config, ...crm } = drainOf("crm");
    const live = { ...crm, config: { ...config, mode: "live" as const } };
    await workOrdered(live, page, never, { accepts: () => true });
    await emulator.idle();
    advance(60_000);
    await pass(first);
    const sent = { main: [0, 0], partners: [0, 0], crm: [5, 5] };
    expect(await counted()).toEqual(sent);
    await source.passes.forceFull("crm" as DrainName);
    await pass(first);
    expect(await counted()).toEqual(sent);
  },
);

it.each([
  ["lists it", "{}"],
  ["no longer lists it", "{ responseStatus: 500 }"],
])("what failed again as another failure counts for the drain that sent it and %s", async (_, select) => {
  const { seed, pass, counted, source } = await openSenders(select);
  seed(5, { responseStatus: 500 }, 10_000);
  await pass();
  await pass("partners");
  const sent = { main: [5, 5], partners: [0, 0], crm: [0, 0] };
  expect(await counted()).toEqual(sent);
  await source.passes.forceFull("main" as DrainName);
  await pass();
  expect(await counted()).toEqual(sent);
});
