import { expect, it } from "vitest";
import type { DrainName, SourceId } from "../../../../src/job/contracts/ids.ts";
import { auditLimits, createRedisAudit } from "../../../../src/job/store/audit/redis-audit.ts";
import { openPass } from "../../../../src/job/pass/open-pass.ts";
import { onlyOf } from "../../../../src/people/cli/status/command.ts";
import { readReport } from "../../../../src/people/operations/report/read.ts";
import { toVerdict } from "../../../../src/people/operations/status/verdict.ts";
import { toOfNoDrainText } from "../../../../src/people/cli/failures/command.ts";
import { readFailureList } from "../../../../src/people/operations/failures/list.ts";
import { toMarkdown } from "../../../../src/people/operations/report/markdown.ts";
import { readQueueFacts } from "../../../../src/people/read/queue-facts.ts";
import { toQueueSample } from "../../../../src/people/read/queue-sample.ts";
import { onlyKind } from "../../../../src/people/read/of-no-drain.ts";
import { readFailureViews } from "../../../../src/people/read/read-failures.ts";
import { createMetrics } from "../../../../src/telemetry/metrics.ts";
import { createReadRig } from "../../../support/read-rig.ts";
import { memory, samples } from "../../../support/metrics.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();
const hourMs = 3_600_000;

it("records that two drains list are counted once in totals and kinds, and the verdict says so", async () => {
  const rig = await createReadRig({
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
  await Promise.all([rig.pass(), rig.passOf("money")]);
  const views = await readFailureViews(rig.core, Date.now());
  expect(views.map(({ text, waiting, parked, arrived }) => [text, waiting, parked, arrived])).toEqual([
    ["down", 440, 0, 440],
    ["gone", 0, 20, 20],
  ]);
  expect(views[0]?.ruled).toEqual({ "hold otherwise": 440 });
  const facts = await readQueueFacts(rig.core);
  expect(facts.sources[0]).toMatchObject({
    shared: { waiting: 340, parked: 20 },
    expiring: { count: 340 },
    depth: { count: 460, exact: true },
  });
  const verdict = toVerdict(await rig.status());
  expect(verdict).toContain("440 of 440 left");
  expect(verdict).toContain("; 20 parked for a person");
  expect(verdict).toContain("at least 440 of them held by rules");
  expect(verdict).toContain("360 count once, and in several drains");
  // One drain alone has all that it lists.
  expect(toVerdict(onlyOf(await rig.status(), ["money"]))).toContain("340 of 340 left");
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

it("a record that nobody can read counts once, whichever drains list it", async () => {
  const money = "  money:\n    mode: live\n    select: { topicName: money }\n";
  const rig = await createReadRig({ redisUrl: redis.url(), drain: `    minAge: 0s\n${money}` });
  const now = Date.now() - hourMs;
  rig.emulator.dlq.seed([
    { dlqId: `${now}-1`, topicName: "money", url: 5 },
    { dlqId: `${now}-2`, url: 5 },
  ]);
  await rig.pass();
  await rig.passOf("money");
  const views = await readFailureViews(rig.core, Date.now());
  expect(views.map(({ origin, parked, arrived }) => [origin, parked, arrived])).toEqual([
    ["(unreadable)", 2, 2],
  ]);
});

it("what three drains list in part, and one of them sends, arrives and waits once, as the report has it", async () => {
  const outage = "{ name: outage, when: { responseStatus: 503 }, then: republish }";
  const rig = await createReadRig({
    redisUrl: redis.url(),
    drain: `    select: { topicName: crm }
    minAge: 0s
    otherwise: hold
    rules: [{ name: gone, when: { responseStatus: 410 }, then: park }]
  trial:
    mode: plan
    rules: [{ name: gone, when: { responseStatus: 410 }, then: park }]
  reports:
    mode: live
    select: { label: reports }
    minAge: 0s
    lane: none
    rules: [${outage}, { name: gone, when: { responseStatus: 410 }, then: park }]
  all:
    mode: live
    minAge: 0s
    otherwise: hold
    rules: [{ name: gone, when: { responseStatus: 410 }, then: park }]
`,
  });
  const both = { topicName: "crm", label: "reports" };
  const seed = (more: Readonly<Record<string, unknown>>) => {
    rig.seed(40, { ...both, ...more }, 3 * hourMs);
    rig.seed(10, { topicName: "crm", ...more }, 3 * hourMs);
    rig.seed(5, { label: "reports", ...more }, 3 * hourMs);
    rig.seed(7, more, 3 * hourMs);
  };
  seed({ responseStatus: 503, responseBody: "down" });
  seed({ responseStatus: 410, responseBody: "gone" });
  const now = Date.now();
  const read = async () => {
    const report = await readReport({ core: rig.core, input: { from: now - 2 * hourMs }, now: Date.now() });
    const facts = await readQueueFacts(rig.core);
    const { waiting, parked, arrived, sentAgain, ...rest } = { ...toQueueSample(facts), ...report.figures };
    expect(rest).toMatchObject({ gone: 0, expired: 0, failedAgain: 0 });
    return { waiting, parked, arrived, sentAgain, before: rest.waitedBefore, after: rest.waitsAfter };
  };
  const kinds = async () =>
    (await readFailureViews(rig.core, Date.now())).map(({ text, waiting, parked, arrived }) =>
      [text, waiting, parked, arrived].join(" "),
    );
  for (const name of ["all", "trial", "main"]) await rig.passOf(name);
  // What two of them list, reports counts, which has not listed anything. So what all has listed stands.
  expect(await kinds()).toEqual(["down 62 0 62", "gone 0 62 62"]);
  expect((await readQueueFacts(rig.core)).sources[0]?.depth).toMatchObject({ count: 124 });
  await rig.passOf("reports");
  await rig.emulator.idle();
  expect(await kinds()).toEqual(["down 17 0 62", "gone 0 62 62"]);
  expect(await read()).toMatchObject({ waiting: 17, sentAgain: 45, before: 124, after: 79 });
  const status = await rig.status();
  const verdict = (...names: string[]) => toVerdict(onlyOf(status, names));
  // Who counts what they share may be a drain that is not asked for.
  expect(verdict("main", "all")).toMatch(/: at least 17 left.*; at least 62 parked for a person/);
  expect(verdict("reports", "all")).toMatch(/: at least 17 left.*; at least 62 parked for a person/);
  expect(verdict("all")).toMatch(/: 17 of 17 left.*; 62 parked for a person/);
  // What each has counted stands in its own row, and a sum is right again after full passes.
  for (const name of ["all", "trial", "reports", "main"]) {
    await rig.drain.source.passes.forceFull(name as DrainName);
    await rig.passOf(name);
  }
  expect(await kinds()).toEqual(["down 17 0 62", "gone 0 62 62"]);
});

it("what one drain lists is in the total while the drain that counts it has not listed it in its first pass", async () => {
  const drain = "    minAge: 0s\n  money: { mode: live, select: { topicName: money }, rules: [] }\n";
  const rig = await createReadRig({ redisUrl: redis.url(), drain });
  rig.seed(30, { topicName: "money" });
  await openPass(rig.drain, rig.core.settings.passes, new AbortController().signal);
  await rig.passOf("money");
  const status = await rig.status();
  expect(toVerdict(status)).toContain("at least 30 left, still counting");
  expect(status.sources[0]?.depth).toEqual({ count: 30, exact: false, stillCounting: true });
});

it("letters of no drain are in the list of kinds on each face, and a report says that they are in no figure", async () => {
  const rig = await createReadRig({ redisUrl: redis.url(), drain: "    select: { topicName: money }\n" });
  rig.seed(5, { responseStatus: 404, responseBody: "no such contact" });
  rig.seed(2, { topicName: "money" });
  await rig.pass();
  await rig.census();
  const { core } = rig;
  const { shown, ofNoDrain } = await readFailureList(core, {}, Date.now());
  expect(shown.map(({ waiting }) => waiting)).toEqual([2]);
  expect(ofNoDrain[0]?.kinds).toMatchObject([{ count: 5, status: 404 }]);
  expect(toOfNoDrainText(Infinity, ofNoDrain, Date.now())).toMatch(
    /^\nof no drain: nothing sends them, and they expire\ndestination .*\n\S+ +\w{10} +5 +\S+ +404 no such contact\n$/,
  );
  expect(onlyKind(ofNoDrain, ofNoDrain[0]!.kinds[0]!.id)).toEqual(ofNoDrain);
  expect(onlyKind(ofNoDrain, "0000000000")).toEqual([]);
  expect((await readFailureList(core, { drain: "main" }, Date.now())).ofNoDrain).toEqual([]);
  const report = await readReport({ core, input: {}, now: Date.now() });
  expect(toMarkdown(report)).toContain("\n| of no drain | 5 | in no figure above, as counted last |\n");
  const [now, days] = [Date.now(), 24 * hourMs];
  const long = await readReport({ core, input: { from: now - 40 * days }, now });
  expect(long.since).toBe(now - 40 * days);
  expect([long.from > now - 30 * days, long.from <= now - 30 * days + hourMs]).toEqual([true, true]);
  expect(toMarkdown(long)).toContain("\n| earlier | – | acts are kept for 30 days or 256 MiB |\n");
  const pause = {
    act: "pause",
    by: "ann",
    source: rig.drain.source.config.id,
    drain: null,
    records: [],
  } as const;
  await rig.drain.source.audit.append(Array.from({ length: 203 }, (_, n) => ({ ...pause, why: `INC-${n}` })));
  const { acts } = await readReport({ core, input: {}, now: Date.now() + hourMs });
  expect([acts.length, acts[0]?.why, acts.at(-1)?.why]).toEqual([200, "INC-3", "INC-202"]);
  const before = { core, input: { from: now - 40 * days, to: now - 35 * days }, now };
  await expect(readReport(before)).rejects.toMatchObject({ code: "command-misused" });
});

it("a host of two sources is one row of a report", async () => {
  const { core } = await createReadRig({ redisUrl: redis.url(), drain: "    rules: []\n" });
  const [eu, us] = [[...core.sources.keys()][0]!, "us" as SourceId];
  const own = core.sources.get(eu)!;
  const other = { ...own, runtime: { ...own.runtime, config: { ...own.runtime.config, id: us } } };
  const sources: typeof core.sources = new Map([...core.sources, [us, other]]);
  for (const [source, many] of [
    [eu, 3],
    [us, 2],
  ] as const) {
    const records = Array.from({ length: many }, (_, n) => ({
      dlqId: `${Date.now()}-${n}`,
      host: "a.example",
    }));
    const entry = { act: "published", by: "ann", source, drain: "main" as DrainName, records } as const;
    await createRedisAudit(core.redis, source, auditLimits).append([entry]);
  }
  const now = Date.now() + hourMs;
  const { hosts } = await readReport({ core: { ...core, sources }, input: {}, now });
  expect(hosts).toEqual([{ host: "a.example", sentAgain: 5, failedAgain: 0, waitsAfter: 0 }]);
});
