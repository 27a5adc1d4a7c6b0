import { expect, it } from "vitest";
import type { Emulator } from "../../../../dev/emulator/index.ts";
import { createFolder } from "../../../support/command.ts";
import { createEnv, startDaemon, type StartedDaemon } from "../../../support/daemon.ts";
import type { Delivery, Receiver } from "../../../support/receiver.ts";
import { useRedis } from "../../../support/redis.ts";
import { freePort } from "../../../support/redis-servers.ts";
import { seedLetters, startService } from "../../../support/service.ts";

const redis = useRedis();

const documentOf = (callbacks: string, watch: string): string => `
version: 1
sources: { default: { ${callbacks} } }
drains:
  main:
    mode: live
    schedule: { every: 2s, full: 10m }
    lane: { canary: 5, watch: ${watch}, haltAt: 20%, probeEvery: 1m }
    minAge: 0s
    limits: { publish: 40/s, perHost: 40/s }
    attempts: { max: 5, wait: [0s], then: park }
    rules:
      - { name: outage, when: { responseStatus: [422, 502-504, none] }, then: republish }
`;

async function createStage(watch: string) {
  const { emulator, receiver } = await startService({ retryScale: 1 / 10 });
  const port = await freePort();
  const callbackUrl = `http://127.0.0.1:${port}/callbacks`;
  const { current, next } = emulator.signingKeys;
  const keys = createFolder({ current: next, next: current });
  const callbacks = `callbacks: { url: "${callbackUrl}", keys: [{ file: ${keys.path}/current }, { file: ${keys.path}/next }] }`;
  const document = documentOf(callbacks, watch);
  const env = { REDRIVER_CALLBACK_HOST: "127.0.0.1", REDRIVER_CALLBACK_PORT: String(port) };
  return {
    emulator,
    receiver,
    start: () => startDaemon(createEnv({ emulator, redisUrl: redis.url(), document, env }).env),
  };
}

function seed(emulator: Emulator, receiver: Receiver, count: number, fields: object = {}): void {
  seedLetters(emulator, count, () => ({ url: `${receiver.url}/hook`, maxRetries: 3, ...fields }), {
    everyMs: 10,
  });
}

const isHook = ({ path }: Delivery): boolean => path === "/hook";
const isOwn = ({ path }: Delivery): boolean => path.startsWith("/told");

/** As of a scrape that may be a second old. */
async function countOf({ address }: StartedDaemon, outcome: string): Promise<number> {
  const metrics = await (await fetch(`${address}/metrics`)).text();
  const found = new RegExp(`redriver_callbacks_total\\{source="default",outcome="${outcome}"\\} (\\d+)`).exec(
    metrics,
  );
  return Number(found?.[1]);
}

it("a lane whose deliveries are told opens within seconds", async () => {
  const { emulator, receiver, start } = await createStage("10s");
  seed(emulator, receiver, 300);
  const daemon = await start();
  await expect.poll(() => receiver.deliveries.length, { timeout: 30_000, interval: 20 }).toBeGreaterThan(0);
  const firstAt = Date.now();
  await daemon.line(({ event, to }) => event === "lane:moved" && to === "open", 60_000);
  // Silence would take 20 s: steps of 5 and 50, each watched for 10 s.
  expect(Date.now() - firstAt).toBeLessThan(8_000);
  await expect.poll(() => receiver.counts().size, { timeout: 30_000 }).toBe(300);
  await emulator.idle();
  expect(receiver.deliveries).toHaveLength(300);
  expect(await countOf(daemon, "unverified")).toBe(0);
  expect(emulator.dlq.size).toBe(0);
}, 120_000);

it("each callback that messages have of their own comes once, with its headers, and failures halt at once", async () => {
  const { emulator, receiver, start } = await createStage("30s");
  receiver.answer = (delivery) => (isHook(delivery) ? 503 : 200);
  seed(emulator, receiver, 60, {
    callback: `${receiver.url}/told?by=callback`,
    callbackHeader: { "X-Order": ["7"], Authorization: ["Bearer theirs"] },
  });
  const daemon = await start();
  const firstAt = Date.now();
  await daemon.line(({ event, to }) => event === "lane:moved" && to === "halted", 15_000);
  // Half of the watch, when silence is looked at first, is 15 s.
  expect(Date.now() - firstAt).toBeLessThan(15_000);
  await emulator.idle();
  const told = receiver.deliveries.filter(isOwn);
  expect(told).toHaveLength(receiver.deliveries.filter(isHook).length);
  const ids = told.map(({ body }) => (JSON.parse(body) as { sourceMessageId: string }).sourceMessageId);
  expect(new Set(ids).size).toBe(told.length);
  for (const { path, method, headers, body } of told) {
    expect([path, method, headers["x-order"], headers["authorization"], headers["content-type"]]).toEqual([
      "/told?by=callback",
      "POST",
      "7",
      "Bearer theirs",
      "application/json",
    ]);
    expect(headers).not.toHaveProperty("x-redriver");
    expect(JSON.parse(body)).toMatchObject({ status: 503, retried: 0, url: `${receiver.url}/hook` });
  }
  await expect.poll(() => countOf(daemon, "failed")).toBe(told.length);
  await expect.poll(() => countOf(daemon, "chained")).toBe(told.length);
  expect(daemon.log.filter(({ level }) => level === "error")).toEqual([]);
}, 120_000);
