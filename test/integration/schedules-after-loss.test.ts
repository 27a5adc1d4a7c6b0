import { expect, it, onTestFinished } from "vitest";
import { startEmulator } from "../../src/emulator/index.ts";
import { startPod } from "../support/pod.ts";
import { useRedis } from "../support/redis.ts";

const redis = useRedis("own");

const document = `
version: 1
sources: { default: {} }
drains:
  main:
    schedule: { every: 1h, full: 1h }
    rules:
      - { name: outage, when: { responseStatus: 503 }, then: republish }
`;

it("schedules that Redis lost are written again as soon as a loss is noticed, before their own time comes", async () => {
  const emulator = await startEmulator();
  onTestFinished(() => emulator.close());
  const connection = redis.fresh();
  const { keyPrefix } = connection;
  const pod = startPod({
    emulator,
    redisUrl: redis.url(),
    keyPrefix,
    document,
    // No job asks the ledger while the test looks.
    settings: { "sweep.every": "1h" },
  });
  const scheduled = async (): Promise<readonly string[]> =>
    (await connection.command("ZRANGE", `{${keyPrefix}}:${keyPrefix}-v1-short:repeat`, 0, -1)) as string[];
  const all = ["census:default", "sweep:default", "tick:main"];
  const look = async (): Promise<readonly string[]> => [...(await scheduled())].toSorted();
  await expect.poll(look, { timeout: 10_000, interval: 20 }).toEqual(all);
  const [source] = pod.live.current().sources.values();
  const { ledger } = source!.runtime;
  await ledger.now();

  await connection.command("FLUSHALL");
  // As a window asks that is under way.
  await ledger.now();
  expect(pod.eventsOf("ledger:lost-writes").length).toBe(1);
  // Without the notice it would be 15 s after the first time.
  await expect.poll(look, { timeout: 8_000, interval: 20 }).toEqual(all);
});
