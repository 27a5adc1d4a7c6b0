import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createEnv } from "../../support/daemon.ts";
import { root } from "../../support/markdown.ts";
import { useRedis } from "../../support/redis.ts";
import { seedLetters, startService } from "../../support/service.ts";

const redis = useRedis();

const document = `version: 1
sources: { default: {} }
defaults: { mode: live, minAge: 0s, lane: none, limits: { publish: none, perHost: none }, attempts: { max: 5, wait: [1s] } }
drains:
  kept:
    schedule: { every: 500ms, full: 1s }
    select: { topicName: kept }
    rules: [{ name: all, when: { responseStatus: 503 }, then: hold }]
  sent:
    schedule: { every: 500ms, full: 1s }
    select: { topicName: sent }
    rules: [{ name: all, when: { responseStatus: 503 }, then: republish }]
`;

async function setUp() {
  const { emulator, receiver } = await startService();
  const { env } = createEnv({
    emulator,
    redisUrl: redis.url(),
    document,
    env: { REDRIVER_LOG_LEVEL: "debug" },
  });
  const seed = (topicName: string, count: number): void => {
    const url = `${receiver.url}/hook`;
    seedLetters(emulator, count, (index) => ({ url, topicName, body: `${topicName} ${index}` }));
  };
  const child = spawn(process.execPath, [path.join(root, "dist/main.js"), "run"], {
    env: {
      PATH: process.env["PATH"],
      HOME: process.env["HOME"],
      REDRIVER_SOCKET_PATH: "none",
      ...env,
    },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = once(child, "exit");
  onTestFinished(() => void child.kill("SIGKILL"));
  const log: Readonly<Record<string, unknown>>[] = [];
  const torn: string[] = [];
  const lines = createInterface({ input: child.stdout });
  lines.on("line", (line) => {
    try {
      log.push(JSON.parse(line) as (typeof log)[number]);
    } catch {
      torn.push(line);
    }
  });
  const line = (event: string): Promise<(typeof log)[number]> =>
    expect
      .poll(() => log.find((one) => one["event"] === event), { timeout: 30_000 })
      .toBeDefined()
      .then(() => log.find((one) => one["event"] === event)!);
  const address = `http://${String((await line("daemon:started"))["httpAddress"])}`;
  const dropped = async (): Promise<number> => {
    const text = await (await fetch(`${address}/metrics`)).text();
    return Number(/^redriver_log_lines_dropped_total (\d+)$/m.exec(text)?.[1]);
  };
  return { emulator, receiver, seed, child, ended, lines, line, torn, address, dropped };
}

it("a reader of the log that stalls costs lines, which are counted, and never the loop", async () => {
  const { emulator, receiver, seed, child, ended, lines, line, torn, address, dropped } = await setUp();
  expect(await dropped()).toBe(0);
  lines.pause();
  child.stdout.pause();
  seed("kept", 2_000);
  await expect.poll(dropped, { timeout: 45_000, interval: 200 }).toBeGreaterThan(1_000);

  seed("sent", 200);
  await expect.poll(() => receiver.counts().size, { timeout: 20_000 }).toBe(200);
  await expect.poll(() => emulator.dlq.size, { timeout: 20_000 }).toBe(2_000);
  const asked = performance.now();
  expect((await fetch(`${address}/livez`)).status).toBe(200);
  expect(performance.now() - asked).toBeLessThan(2_000);

  const before = await dropped();
  lines.resume();
  const { lines: told, level } = await line("log:dropped");
  expect(level).toBe("warn");
  expect(told).toBeGreaterThanOrEqual(before);
  expect(torn).toEqual([]);
  // It does not keep a daemon either that is asked to stop.
  const resumed = await dropped();
  lines.pause();
  child.stdout.pause();
  await expect.poll(dropped, { timeout: 45_000, interval: 200 }).toBeGreaterThan(resumed);
  child.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
}, 120_000);

it("a reader that has gone costs lines, which are counted, and not the daemon", async () => {
  const { emulator, seed, child, ended, dropped } = await setUp();
  child.stdout.destroy();
  seed("sent", 50);
  await expect.poll(() => emulator.dlq.size, { timeout: 30_000 }).toBe(0);
  expect(await dropped()).toBeGreaterThan(50);
  child.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
}, 60_000);
