import { once } from "node:events";
import { expect, it, onTestFinished } from "vitest";
import { createEnv, startDaemon } from "../../support/daemon.ts";
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
  const env = { REDRIVER_LOG_LEVEL: "debug" };
  const daemon = await startDaemon(createEnv({ emulator, redisUrl: redis.url(), document, env }).env);
  const { child, address } = daemon;
  const stdout = child.stdout!;
  const ended = once(child, "exit");
  onTestFinished(() => void stdout.resume());
  const seed = (topicName: string, count: number): void => {
    const url = `${receiver.url}/hook`;
    seedLetters(emulator, count, (index) => ({ url, topicName, body: `${topicName} ${index}` }));
  };
  const dropped = async (): Promise<number> => {
    const text = await (await fetch(`${address}/metrics`)).text();
    return Number(/^redriver_log_lines_dropped_total (\d+)$/m.exec(text)?.[1]);
  };
  return { emulator, receiver, seed, daemon, stdout, ended, dropped };
}

it("a reader of the log that stalls costs lines, which are counted, and never the loop", async () => {
  const { emulator, receiver, seed, daemon, stdout, ended, dropped } = await setUp();
  expect(await dropped()).toBe(0);
  stdout.pause();
  seed("kept", 2_000);
  await expect.poll(dropped, { timeout: 45_000, interval: 200 }).toBeGreaterThan(1_000);

  seed("sent", 200);
  await expect.poll(() => receiver.counts().size, { timeout: 20_000 }).toBe(200);
  await expect.poll(() => emulator.dlq.size, { timeout: 20_000 }).toBe(2_000);
  const asked = performance.now();
  expect((await fetch(`${daemon.address}/livez`)).status).toBe(200);
  expect(performance.now() - asked).toBeLessThan(2_000);

  const before = await dropped();
  stdout.resume();
  const { lines, level } = await daemon.line(({ event }) => event === "log:dropped");
  expect(level).toBe("warn");
  expect(lines).toBeGreaterThanOrEqual(before);
  // It does not keep a daemon either that is asked to stop.
  const resumed = await dropped();
  stdout.pause();
  await expect.poll(dropped, { timeout: 45_000, interval: 200 }).toBeGreaterThan(resumed);
  daemon.child.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
  stdout.resume();
  // None is torn.
  const { out } = await daemon.ended;
  for (const line of out.trimEnd().split("\n")) expect(() => JSON.parse(line) as unknown, line).not.toThrow();
}, 120_000);

it("a reader that has gone costs lines, which are counted, and not the daemon", async () => {
  const { emulator, seed, daemon, stdout, ended, dropped } = await setUp();
  stdout.destroy();
  seed("sent", 50);
  await expect.poll(() => emulator.dlq.size, { timeout: 30_000 }).toBe(0);
  expect(await dropped()).toBeGreaterThan(50);
  daemon.child.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
}, 60_000);
