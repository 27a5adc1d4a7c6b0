import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { createEnv, startDaemon } from "../../support/daemon.ts";
import { useRedis } from "../../support/redis.ts";
import { startService } from "../../support/service.ts";

const redis = useRedis("own");

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
async function callsOf(): Promise<ReadonlyMap<string, number>> {
  const text = String(await redis.fresh().command("INFO", "commandstats"));
  return new Map(
    [...text.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)].map(([, name = "", calls]) => [name, Number(calls)]),
  );
}

it("an idle daemon with one source, one drain, two scrapes a minute and defaults costs what docs/redis.md says", async () => {
  const { emulator } = await startService();
  const { env } = createEnv({ emulator, redisUrl: redis.url(), document });
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
  const [before, passes] = [await callsOf(), listedAt().length];
  await delay(measuredMs / 4);
  expect(await scrape()).toBe(true);
  await delay(measuredMs / 2);
  expect(await scrape()).toBe(true);
  await delay(measuredMs / 4);
  const made = [...(await callsOf())]
    .map(([name, calls]) => ({ name, calls: calls - (before.get(name) ?? 0) }))
    .filter(({ calls }) => calls > 0);
  expect(listedAt().length).toBeGreaterThan(passes);
  const perSecond = made.reduce((sum, { calls }) => sum + calls, 0) / (measuredMs / secondMs);
  expect(perSecond, JSON.stringify(made)).toBeLessThan(mostPerSecond);
}, 240_000);
