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

/** By the journal alone. */
function truthOf({ journal, dlq }: Emulator, host = "") {
  const isOf = (url: string): boolean => host === "" || new URL(url).host === host;
  const dead = journal.entries("dead-lettered");
  const arrived = new Set(dead.flatMap(({ dlqId, url }) => (isOf(url) ? [dlqId] : [])));
  const sent = new Map<string, number>();
  const messages = new Set<string>();
  for (const { deduplicationId = "", messageId, url, at } of journal.entries("accepted")) {
    const [, dlqId] = /^redriver-(\d+-\d+)/.exec(deduplicationId) ?? [];
    if (dlqId === undefined || !isOf(url)) continue;
    sent.set(dlqId, at);
    messages.add(messageId);
  }
  return {
    figures: {
      waitedBefore: 0,
      arrived: arrived.size,
      sentAgain: sent.size,
      failedAgain: dead.filter(({ messageId }) => messages.has(messageId)).length,
      dropped: 0,
      discarded: 0,
      expired: 0,
      gone: 0,
      waitsAfter: [...arrived].filter((dlqId) => dlq.find(dlqId) !== undefined).length,
      messages: messages.size,
    },
    delays: [...sent].map(([dlqId, at]) => at - Number(dlqId.split("-", 1)[0])).toSorted((a, b) => a - b),
  };
}

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
    const one = truthOf(emulator, host).figures;
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
  for (const row of [
    `+ arrived | ${all}`,
    `= sent again | ${all}`,
    `failed again (they arrived again) | ${failedAgain}`,
  ])
    expect(text).toContain(`\n| ${row} |`);
  expect(text).toMatch(
    /\| release \| 12 \| .*contacts\.localhost:\d+ \| .*INC-7: the contacts are back \| ann \|\n/,
  );
}, 500_000);
