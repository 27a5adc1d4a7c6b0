/** What only minutes show, side by side. */
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, expect, it } from "vitest";
import { createEnv, startDaemon } from "../../support/daemon.ts";
import { createDrainStage, readyz } from "../../support/drain-stage.ts";
import { createRedisServers, type RedisServer } from "../../support/redis-servers.ts";
import { startService } from "../../support/service.ts";
import { sideBySide } from "../../support/side-by-side.ts";

const servers = createRedisServers();
afterAll(() => servers.stop());

const stillOf = async (address: string): Promise<string | undefined> =>
  /^redriver_drains_standing_still (\d)$/m.exec(await (await fetch(`${address}/metrics`)).text())?.[1];

async function standStill(): Promise<void> {
  const server = await servers.start();
  const stage = await createDrainStage({ url: server.url, env: { REDRIVER_REDIS_KEY_PREFIX: "redriver" } });
  const bodies = stage.seed(20);
  const daemon = await startDaemon(stage.setup.env);
  await stage.emptied(30_000);
  expect(await readyz(daemon.address)).toEqual({ ok: true, reasons: [] });
  expect(await stillOf(daemon.address)).toBe("0");
  // As BullMQ pauses a queue: nobody here does that, and nothing fails by it.
  const meta = "{redriver}:redriver-v1-windows:meta";
  await server.admin.hset(meta, "paused", 1);
  bodies.push(...stage.seed(20));
  await expect
    .poll(async () => (await readyz(daemon.address)).reasons.join(), { timeout: 150_000, interval: 1_000 })
    .toMatch(/^drain main stands still: .* no page has ended for \d+ s/);
  expect(await stillOf(daemon.address)).toBe("1");
  expect((await fetch(`${daemon.address}/livez`)).status).toBe(200);
  await server.admin.hdel(meta, "paused");
  await stage.emptied(60_000);
  stage.deliveredOnce(bodies);
  await expect.poll(() => readyz(daemon.address), { timeout: 30_000 }).toEqual({ ok: true, reasons: [] });
}

const document = `
version: 1
sources: { default: {} }
drains:
  main:
    mode: live
    rules:
      - { name: outage, when: { responseStatus: 503 }, then: republish }
`;

const secondMs = 1_000;
/** Two ticks, and four looks for a sweep. */
const measuredMs = 60 * secondMs;
/** A third of the way from one look to the next: none begins at either end of what is measured. */
const afterTickMs = 5 * secondMs;

/** Some 360 commands in all (docs/redis.md), and room for 30 more: another read of each queue, and another look. */
const mostPerSecond = 6.5;

/** How often each command was called so far, by scripts too. */
async function callsOf({ admin }: RedisServer): Promise<ReadonlyMap<string, number>> {
  const text = await admin.info("commandstats");
  return new Map(
    [...text.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)].map(([, name = "", calls]) => [name, Number(calls)]),
  );
}

async function countIdleCost(): Promise<void> {
  const server = await servers.start();
  const { emulator } = await startService();
  const { env } = createEnv({ emulator, redisUrl: server.url, document });
  const daemon = await startDaemon(env);
  const listedAt = (): readonly number[] =>
    emulator.journal
      .entries("request")
      .filter(({ operation }) => operation === "list")
      .map(({ at }) => at);
  const scrape = async (): Promise<boolean> => (await fetch(`${daemon.address}/metrics`)).ok;
  // The second pass, after a first scrape: Redis knows each script.
  expect(await scrape()).toBe(true);
  const isSettled = (): boolean => (listedAt().at(-1) ?? 0) > (listedAt()[0] ?? Infinity) + 20 * secondMs;
  await expect.poll(isSettled, { timeout: 90_000 }).toBe(true);
  await delay(afterTickMs);
  const [before, passes] = [await callsOf(server), listedAt().length];
  await delay(measuredMs / 4);
  expect(await scrape()).toBe(true);
  await delay(measuredMs / 2);
  expect(await scrape()).toBe(true);
  await delay(measuredMs / 4);
  const made = [...(await callsOf(server))]
    .map(([name, calls]) => ({ name, calls: calls - (before.get(name) ?? 0) }))
    .filter(({ calls }) => calls > 0);
  expect(listedAt().length).toBeGreaterThan(passes);
  const perSecond = made.reduce((sum, { calls }) => sum + calls, 0) / (measuredMs / secondMs);
  expect(perSecond, JSON.stringify(made)).toBeLessThan(mostPerSecond);
}

it("a drain that stands still is told, and an idle daemon costs what docs/redis.md says", async () => {
  await sideBySide({
    "no worker gets its windows: it is not ready, and is again with its next page": standStill,
    "one source, one drain, two scrapes a minute and defaults": countIdleCost,
  });
}, 300_000);
