import { expect, it } from "vitest";
import { takeCensus } from "../../../../src/job/census/count-and-copy-expiring.ts";
import type { DrainName } from "../../../../src/job/contracts/ids.ts";
import { runPassInProcess } from "../../../../src/job/pass/drain-in-process.ts";
import { readStatus } from "../../../../src/people/operations/status/read.ts";
import { toVerdict } from "../../../../src/people/operations/status/verdict.ts";
import { readQueueFacts } from "../../../../src/people/read/queue-facts.ts";
import { readFailureViews } from "../../../../src/people/read/read-failures.ts";
import { createMetrics } from "../../../../src/telemetry/metrics.ts";
import { createRig } from "../../../support/rig.ts";
import { memory, samples } from "../../../support/metrics.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();
const never = new AbortController().signal;
const signals = { signal: never, stopping: never };
const hourMs = 3_600_000;

it("records that two drains list are counted once in totals and kinds, and the verdict says so", async () => {
  const rig = await createRig({
    redisUrl: redis.url(),
    source: "{ retention: 3d }",
    drain: `    minAge: 0s
    otherwise: hold
    rules: [{ name: gone, when: { responseStatus: 410 }, then: park }]
  money:
    mode: live
    select: { topicName: money }
    rules: [{ name: gone, when: { responseStatus: 410 }, then: park }]
`,
  });
  rig.seed(340, { topicName: "money", responseBody: "down" }, 60 * hourMs);
  rig.seed(20, { topicName: "money", responseStatus: 410, responseBody: "gone" });
  rig.seed(100, { responseBody: "down" });
  const money = rig.core.drains.get("money" as DrainName)!;
  const passes = async (): Promise<unknown> =>
    Promise.all([rig.pass(), runPassInProcess(money, rig.core.settings.passes, signals, () => undefined)]);
  await passes();
  const running = async () => {
    const status = await readStatus(rig.core, { nextRuns: new Map(), problems: 0, now: Date.now() });
    return { ...status, replicas: [{ rejected: null, resting: [] }] as unknown as typeof status.replicas };
  };
  expect(toVerdict(await running())).toContain("440 of 440 left");
  expect(toVerdict(await running())).toContain("; 20 parked for a person");
  const { source, documentHash } = rig.drain;
  const drains = [...rig.core.drains.values()].map(({ config }) => config);
  expect(await takeCensus({ source, drains, documentHash, archive: null }, signals)).toMatchObject({
    depth: 460,
    shared: { by: [{ drains: ["main", "money"], count: 360 }] },
  });
  const views = await readFailureViews(rig.core, Date.now());
  expect(views.map(({ text, waiting, parked, arrived }) => [text, waiting, parked, arrived])).toEqual([
    ["down", 440, 0, 440],
    ["gone", 0, 20, 20],
  ]);
  const facts = await readQueueFacts(rig.core);
  expect(facts.sources[0]).toMatchObject({
    shared: { waiting: 340, parked: 20 },
    expiring: { count: 340 },
    depth: { count: 460 },
  });
  expect(toVerdict(await running())).toContain("440 of 440 left");
  expect(toVerdict(await running())).toContain("; 20 parked for a person");
  expect(toVerdict(await running())).toContain("780 held by rules, summed by drain");
  expect(toVerdict(await running())).toContain("360 were listed by both main and money at ");
  const metrics = createMetrics({
    version: "1",
    readFacts: () => readQueueFacts(rig.core),
    indexGauges: async () => [],
    memory,
    clock: rig.drain.source.clock,
  });
  const down = views.find(({ text }) => text === "down")?.id ?? "";
  expect((await samples(metrics)).get(`redriver_failure_waiting{source="default",failure="${down}"}`)).toBe(
    440,
  );
});

it("what drains share is not known before a census: there are at least so many", async () => {
  const rig = await createRig({
    redisUrl: redis.url(),
    drain: `    select: { topicName: crm }
    rules: [{ name: gone, when: { responseStatus: 410 }, then: park }]
  reports:
    mode: live
    select: { label: reports }
    rules: [{ name: gone, when: { responseStatus: 410 }, then: park }]
`,
  });
  rig.seed(40, { topicName: "crm", label: "reports", responseStatus: 410 });
  rig.seed(10, { topicName: "crm", responseStatus: 410 });
  rig.seed(5, { label: "reports", responseStatus: 410 });
  await rig.pass();
  const reports = rig.core.drains.get("reports" as DrainName)!;
  await runPassInProcess(reports, rig.core.settings.passes, signals, () => undefined);
  const parked = async () => {
    const status = await readStatus(rig.core, { nextRuns: new Map(), problems: 0, now: Date.now() });
    return toVerdict(status).match(/(?:at least )?\d+ parked/)?.[0];
  };
  expect(await parked()).toBe("at least 50 parked");
  const { source, documentHash } = rig.drain;
  const drains = [...rig.core.drains.values()].map(({ config }) => config);
  await takeCensus({ source, drains, documentHash, archive: null }, signals);
  expect(await parked()).toBe("55 parked");
});
