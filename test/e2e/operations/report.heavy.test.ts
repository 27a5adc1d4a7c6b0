/** The outage report of the built command, and the emulator's journal: every figure is equal, to the message. */
import { rmSync } from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import { startIncidentReceiver } from "../../../dev/demo/incident/incident-receiver.ts";
import { planIncident, toHosts, toIncidentDocument } from "../../../dev/demo/incident/incident-scenario.ts";
import type { Emulator } from "../../../dev/emulator/index.ts";
import type { OutageReport } from "../../../src/people/operations/report/read.ts";
import { runHere } from "../../support/cli.ts";
import { createFolder, runToEnd } from "../../support/command.ts";
import { createEnv, startDaemon } from "../../support/daemon.ts";
import { createReceiver } from "../../support/receiver.ts";
import { useRedis } from "../../support/redis.ts";
import { startService } from "../../support/service.ts";

const redis = useRedis();
const within = { timeout: 120_000, interval: 500 };
const asked = { ...within, interval: 2_000 };
const by = (why: string): readonly string[] => ["--reason", `INC-7: ${why}`, "--by", "ann"];
type Env = Readonly<Record<string, string>>;

async function run(env: Env, ...argv: readonly string[]): Promise<string> {
  const { exitCode, out, err } = await runToEnd(argv, env);
  expect({ argv, exitCode, err: exitCode === 0 ? "" : err }).toEqual({ argv, exitCode: 0, err: "" });
  return out;
}

/** Of this process, which asks often. */
async function reportOf(env: Env, ...flags: readonly string[]): Promise<OutageReport> {
  const { out } = await runHere(["report", "--since", "1h", ...flags, "--json"], env);
  return JSON.parse(out) as OutageReport;
}

/** By the journal alone. Seeded ones are given: the journal does not name them. */
function truthOf({ journal, dlq }: Emulator, seeded: ReadonlyMap<string, string> = new Map(), host = "") {
  const isOf = (url: string): boolean => host === "" || new URL(url).host === host;
  const arrived = new Map([...seeded].filter(([, url]) => isOf(url)));
  for (const one of journal.entries("dead-lettered")) if (isOf(one.url)) arrived.set(one.dlqId, one.url);
  const sent = new Map<string, number>();
  const messages = new Set<string>();
  for (const { deduplicationId = "", messageId, url, at } of journal.entries("accepted")) {
    const [, dlqId] = /^redriver-(\d+-\d+)/.exec(deduplicationId) ?? [];
    if (dlqId === undefined || !isOf(url)) continue;
    sent.set(dlqId, at);
    messages.add(messageId);
  }
  const gone = journal
    .entries("deleted")
    .flatMap(({ dlqIds, by }) => dlqIds.map((dlqId) => [dlqId, by] as const));
  const count = (fits: (dlqId: string, by: string) => boolean): number =>
    gone.filter(([dlqId, by]) => arrived.has(dlqId) && fits(dlqId, by)).length;
  return {
    figures: {
      waitedBefore: 0,
      arrived: arrived.size,
      sentAgain: sent.size,
      failedAgain: journal.entries("dead-lettered").filter(({ messageId }) => messages.has(messageId)).length,
      dropped: count((dlqId, by) => by === "ids" && !sent.has(dlqId)),
      discarded: 0,
      expired: count((_, by) => by === "retention"),
      gone: 0,
      waitsAfter: [...arrived.keys()].filter((dlqId) => dlq.find(dlqId) !== undefined).length,
      messages: messages.size,
    },
    delays: [...sent].map(([dlqId, at]) => at - Number(dlqId.split("-", 1)[0])).toSorted((a, b) => a - b),
  };
}

function expectClosed({ figures }: OutageReport): void {
  const { waitedBefore, arrived, sentAgain, dropped, discarded, expired, gone, waitsAfter } = figures;
  const left = [sentAgain, dropped, discarded, expired, gone, waitsAfter].reduce<number>(
    (sum, one) => sum + (one ?? 0),
    0,
  );
  expect((waitedBefore ?? 0) + (arrived ?? 0)).toBe(left);
}

const rules = `
      - { name: stale, when: { responseStatus: 410 }, then: drop }
      - { name: refused, when: { responseStatus: 422 }, then: park }
      - { name: outage, when: { responseStatus: 503 }, then: republish }`;

const faulty = (archive: string): string => `
version: 1
archive: { dir: ${archive}, volume: ephemeral }
sources: { default: { retention: 3d } }
defaults:
  mode: live
  schedule: { every: 500ms, full: 3s }
  minAge: 0s
  attempts: { max: 5, wait: [1s], then: park }
  lane: none
  limits: { publish: 200/s, perHost: none, perPass: none, perDay: none }
drains:
  all:
    rules:${rules}
  money:
    select: { topicName: money }
    rules:${rules}
`;

it("the report equals the journal in the incident of the docs: while it waits, and when it is over", async () => {
  const { emulator } = await startService({ retryScale: 0.01 });
  const { path, write } = createFolder();
  const down = write("down", "");
  const receiver = await startIncidentReceiver({ port: 0, downFile: down, onPage: () => undefined });
  onTestFinished(() => receiver.close());
  const document = toIncidentDocument(receiver.port, `${path}/archive`);
  const { env } = createEnv({ emulator, redisUrl: redis.url(), document });
  await startDaemon(env);
  const hosts = toHosts(receiver.port);
  const items = planIncident(600, hosts);
  for (let from = 0; from < items.length; from += 100) {
    const answer = await fetch(`${emulator.url}/v2/batch`, {
      method: "POST",
      headers: { authorization: `Bearer ${emulator.token}`, "content-type": "application/json" },
      body: JSON.stringify(items.slice(from, from + 100)),
    });
    expect(answer.status).toBe(200);
  }
  const figures = async (...flags: readonly string[]) => (await reportOf(env, ...flags)).figures;

  /** The lane's own probes may go meanwhile. */
  const areTrue = async (leastSent: number): Promise<void> => {
    const wrong = async () => {
      const [shown, truth] = [await figures(), truthOf(emulator).figures];
      const isEnough = truth.sentAgain >= leastSent && truth.failedAgain === truth.sentAgain;
      return [isEnough, Object.entries(truth).filter(([name, count]) => count !== shown[name as "arrived"])];
    };
    await expect.poll(wrong, asked).toEqual([true, []]);
  };

  await expect.poll(() => figures(), asked).toMatchObject({ parked: 12 });
  await areTrue(5);
  const { sentAgain } = truthOf(emulator).figures;
  await run(env, "lanes", "probe", "orders.localhost", ...by("does it still fail?"));
  await areTrue(sentAgain + 1);

  await run(env, "plan", "payments", "--out", `${path}/payments.ndjson`);
  rmSync(down);
  await run(env, "lanes", "probe", "orders.localhost", ...by("the database is back"));
  await run(env, "plan", "payments", "--limit", "5", "--out", `${path}/first.ndjson`);
  await run(env, "apply", `${path}/first.ndjson`, "--yes", ...by("a first five"));
  await run(env, "apply", `${path}/payments.ndjson`, "--yes", ...by("the rest"));
  await run(env, "parked", "release", "--for", "rule", "--yes", ...by("the contacts are back"));
  await expect.poll(() => emulator.dlq.size, within).toBe(0);
  await emulator.idle();
  await expect.poll(() => figures(), asked).toMatchObject({ waitsAfter: 0 });

  const truth = truthOf(emulator);
  const report = await reportOf(env);
  const { failedAgain } = truth.figures;
  const all = 672 + failedAgain;
  expect(truth.figures).toMatchObject({ arrived: all, sentAgain: all, messages: all });
  expect(report.figures).toEqual({ ...truth.figures, delivered: 0, silent: 672, parked: 12 });
  expectClosed(report);
  const { delays } = truth;
  for (const [name, share] of [
    ["medianMs", 0.5],
    ["p99Ms", 0.99],
  ] as const) {
    const own = delays[Math.ceil(share * delays.length) - 1] ?? 0;
    expect(Math.abs((report.delays?.[name] ?? 0) - own)).toBeLessThan(1_500);
  }
  for (const url of Object.values(hosts)) {
    const { host } = new URL(url);
    const one = truthOf(emulator, undefined, host).figures;
    expect(await figures("--host", host)).toMatchObject(one);
    const { sentAgain, failedAgain, waitsAfter } = one;
    expect(report.hosts).toContainEqual({ host, sentAgain, failedAgain, waitsAfter });
  }
  const people = report.acts
    // What a probe did to its lane depends on when it is answered.
    .filter(({ act, by: who }) => who === "ann" && !/^lane-(?!probe)/.test(act))
    .map(({ act, count, ordered }) => [act, ordered ?? count]);
  expect(people).toEqual([
    ["lane-probe", 0],
    ["lane-probe", 0],
    ["apply", 5],
    ["apply", 55],
    ["release", 12],
  ]);
  const text = await run(env, "report", "--since", "1h");
  expect(text).toContain(
    `${all} dead letters arrived, ${all} were sent again, ${failedAgain} failed again, 0 expired, and 0 wait.`,
  );
  expect(text).toContain(`It adds up: 0 + ${all} = ${all} + 0 + 0 + 0 + 0 + 0.`);
  expect(text).toMatch(
    /\| ann \| release \| 12 \| contacts\.localhost:\d+ \| INC-7: the contacts are back; rule \|/,
  );
}, 500_000);

it("the report equals the journal with two drains over the same letters, lost answers and a daemon that is killed twice", async () => {
  const { emulator, receiver } = await startService({ retentionMs: 3 * 86_400_000 });
  const other = await createReceiver();
  onTestFinished(() => other.close());
  let failing = 40;
  other.answer = () => (failing-- > 0 ? 503 : 200);
  const { path } = createFolder();
  const { env } = createEnv({ emulator, redisUrl: redis.url(), document: faulty(path) });
  const at = Date.now() - 60_000;
  const seeded = new Map<string, string>();
  const seed = (count: number, url: string, responseStatus: number, topicName: string): void => {
    const records = Array.from({ length: count }, () => {
      const dlqId = `${at + seeded.size}-0`;
      seeded.set(dlqId, url);
      return { dlqId, url, responseStatus, topicName, createdAt: at, maxRetries: 0, body: dlqId };
    });
    emulator.dlq.seed(records);
  };
  seed(700, `${receiver.url}/hook`, 503, "orders");
  seed(300, `${other.url}/hook`, 503, "money");
  seed(50, `${other.url}/old`, 410, "money");
  seed(30, `${receiver.url}/bad`, 422, "orders");
  emulator.faults.add({
    kind: "drop-answer",
    operation: "batch",
    when: "after",
    probability: 0.3,
    name: "lost",
  });
  const isAccepted = (many: number) => () => emulator.journal.counts().accepted >= many;
  for (const many of [150, 500]) {
    const daemon = await startDaemon(env);
    await expect.poll(isAccepted(many), within).toBe(true);
    daemon.child.kill("SIGKILL");
    await daemon.ended;
  }
  emulator.faults.remove("lost");
  await startDaemon(env);
  await expect.poll(() => emulator.dlq.size, { ...within, timeout: 240_000 }).toBe(30);
  await emulator.idle();
  const seen = async (...flags: readonly string[]) => (await reportOf(env, ...flags)).figures;
  await expect.poll(() => seen(), asked).toMatchObject({ waitsAfter: 30 });

  const truth = truthOf(emulator, seeded).figures;
  expect(truth).toMatchObject({
    arrived: 1_120,
    failedAgain: 40,
    sentAgain: 1_040,
    dropped: 50,
    waitsAfter: 30,
  });
  const expectEqual = async (host?: string): Promise<OutageReport> => {
    const report = await reportOf(env, ...(host === undefined ? [] : ["--host", host]));
    const { expired, gone, ...known } = truthOf(emulator, seeded, host).figures;
    expect(report.figures).toMatchObject(known);
    // What both drains have counted may look like more, and then the report says that it does not know.
    expect([expired, null]).toContain(report.figures.expired);
    expect([gone, null]).toContain(report.figures.gone);
    expectClosed(report);
    return report;
  };
  expect((await expectEqual()).figures).toMatchObject({ parked: 30 });
  for (const { url } of [receiver, other]) await expectEqual(new URL(url).host);
}, 500_000);
