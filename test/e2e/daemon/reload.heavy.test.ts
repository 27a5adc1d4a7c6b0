import { renameSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Emulator } from "../../../dev/emulator/index.ts";
import { runHere as ask } from "../../support/cli.ts";
import type { Running } from "../../support/command.ts";
import { createEnv, startDaemon, type DaemonEnv } from "../../support/daemon.ts";
import type { Receiver } from "../../support/receiver.ts";
import { useRedis } from "../../support/redis.ts";
import { seedLetters, startService } from "../../support/service.ts";

const redis = useRedis();

type Daemon = Running & { readonly address: string };

interface Drain {
  readonly then: string;
  readonly topic: string;
}

/** A drain per URL Group, so that each is told apart in the queue and at the receiver. */
function documentOf(drains: Readonly<Record<string, Drain>>, census = "1s"): string {
  const lines = Object.entries(drains).map(
    ([name, { then, topic }]) => `  ${name}:
    mode: live
    schedule: { every: 500ms, full: 2s }
    minAge: 1s
    attempts: { max: 5, wait: [1s] }
    lane: none
    limits: { publish: none, perHost: none }
    select: { topicName: ${topic} }
    rules:
      - { name: all, when: { responseStatus: 503 }, then: ${then} }
`,
  );
  return `version: 1\nsources: { default: { census: ${census} } }\ndrains:\n${lines.join("")}`;
}

const holding = { main: { then: "hold", topic: "orders" } };
const acting = { main: { then: "republish", topic: "orders" } };

interface Stage {
  readonly emulator: Emulator;
  readonly receiver: Receiver;
  readonly setup: DaemonEnv;
  seed(topicName: string, count: number): string[];
  /** As an editor that knows its trade writes: the file is whole at every moment. */
  replace(text: string): void;
}

async function setUp(document: string): Promise<Stage> {
  const { emulator, receiver } = await startService();
  const env = { REDRIVER_SWEEP_EVERY: "1s" };
  const setup = createEnv({ emulator, redisUrl: redis.url(), document, env });
  let seeded = 0;
  return {
    emulator,
    receiver,
    setup,
    seed(topicName, count) {
      const bodies = Array.from({ length: count }, () => JSON.stringify({ id: (seeded += 1) }));
      const common = { url: `${receiver.url}/hook`, topicName };
      seedLetters(emulator, count, (index) => ({ ...common, body: bodies[index] }), { everyMs: 10 });
      return bodies;
    },
    replace(text) {
      const next = setup.folder.write("next.yaml", text);
      renameSync(next, join(setup.folder.path, "drains.yaml"));
    },
  };
}

const adopted = (daemon: Daemon) =>
  daemon.line(({ event, before }) => event === "document:adopted" && before !== null);

async function metric(daemon: Daemon, name: string): Promise<number | undefined> {
  const text = await (await fetch(`${daemon.address}/metrics`)).text();
  const line = text.split("\n").find((one) => one.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length + 1));
}

/** Polls, because a scrape is answered from at most a second ago. */
async function metricIs(daemon: Daemon, name: string, value: number | undefined): Promise<void> {
  await expect.poll(() => metric(daemon, name), { timeout: 30_000, interval: 200 }).toBe(value);
}

async function emptied({ emulator }: Stage, timeout = 20_000): Promise<void> {
  await expect.poll(() => emulator.dlq.size, { timeout, interval: 100 }).toBe(0);
  await emulator.idle();
}

const counted = (bodies: readonly string[]) => Object.fromEntries(bodies.map((body) => [body, 1]));

describe("an edited document", () => {
  it("is adopted without a restart: the next pass is decided by it, and everybody can see it", async () => {
    const stage = await setUp(documentOf(holding));
    const bodies = stage.seed("orders", 30);
    const daemon = await startDaemon(stage.setup.env);
    const held = 'redriver_records{source="default",drain="main",state="held"}';
    await metricIs(daemon, held, 30);
    stage.replace(documentOf(acting));
    const { hash, before } = await adopted(daemon);
    await emptied(stage);
    expect(Object.fromEntries(stage.receiver.counts())).toEqual(counted(bodies));
    await metricIs(daemon, `redriver_config_info{hash="${String(hash)}"}`, 1);
    expect(await metric(daemon, `redriver_config_info{hash="${String(before)}"}`)).toBeUndefined();
    expect(await metric(daemon, "redriver_config_last_reload_successful")).toBe(1);
    const at = await metric(daemon, "redriver_config_last_reload_success_timestamp_seconds");
    expect(Math.abs(Date.now() / 1_000 - (at ?? 0))).toBeLessThan(60);
    const { out } = await ask(["status", "--json"], stage.setup.env);
    expect(JSON.parse(out)).toMatchObject({
      documentHash: hash,
      replicas: [{ documentHash: hash, sameDocument: true, rejected: null }],
    });
    daemon.child.kill("SIGTERM");
    expect((await daemon.ended).exitCode).toBe(0);
    const after = await ask(["status", "main"], stage.setup.env);
    expect(after.out).toMatch(/^not running/);
  }, 120_000);

  it("with a mistake keeps the old rules, says where it is, and is forgotten when it is mended", async () => {
    const stage = await setUp(documentOf(acting));
    const daemon = await startDaemon(stage.setup.env);
    await daemon.line(({ event }) => event === "document:adopted");
    stage.replace(
      documentOf(acting).replace("minAge: 1s", "minAge: soon").replace("mode: live", "modus: live"),
    );
    const rejected = await daemon.line(({ event }) => event === "document:rejected");
    const file = `${stage.setup.folder.path}/drains.yaml`;
    expect(rejected["level"]).toBe("error");
    expect(String(rejected["msg"])).toContain(`${file}:5:5`);
    expect(String(rejected["msg"])).toContain(`${file}:7:13`);
    await metricIs(daemon, "redriver_config_last_reload_successful", 0);
    stage.seed("orders", 5);
    await emptied(stage);
    // The command reads the file too, so a good copy of it shows what the daemon says.
    const copy = stage.setup.folder.write("copy.yaml", documentOf(acting));
    const { out } = await ask(["status", "main"], { ...stage.setup.env, REDRIVER_DRAINS_FILE: copy });
    expect(out).toMatch(/^rejected +\S+drains.yaml:5:5 [^]*drains.yaml:7:13/m);
    stage.replace(documentOf(acting));
    await adopted(daemon);
    await metricIs(daemon, "redriver_config_last_reload_successful", 1);
    expect(daemon.log.filter(({ event }) => event === "document:rejected")).toHaveLength(1);
  }, 120_000);

  it("that changes a drain in the middle of a pass is obeyed after the page", async () => {
    const stage = await setUp(documentOf(acting));
    // Nine seconds for four windows at once; the edit is seen within two.
    const bodies = stage.seed("orders", 2_400);
    stage.emulator.faults.add({ kind: "latency", operation: "batch", ms: 1_500, name: "slow" });
    const daemon = await startDaemon(stage.setup.env);
    await daemon.line(({ act }) => act === "published");
    stage.replace(documentOf(holding));
    await adopted(daemon);
    const held = 'redriver_records{source="default",drain="main",state="held"}';
    await expect
      .poll(async () => (await metric(daemon, held)) === stage.emulator.dlq.size, { timeout: 30_000 })
      .toBe(true);
    const left = stage.emulator.dlq.size;
    expect(left).toBeGreaterThan(100);
    await stage.emulator.idle();
    stage.emulator.faults.remove("slow");
    stage.replace(documentOf(acting));
    await emptied(stage, 30_000);
    expect(Object.fromEntries(stage.receiver.counts())).toEqual(counted(bodies));
  }, 180_000);
});
