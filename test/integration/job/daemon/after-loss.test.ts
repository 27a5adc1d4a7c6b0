import { expect, it, onTestFinished } from "vitest";
import { startEmulator } from "../../../../dev/emulator/index.ts";
import { startPod } from "../../../support/pod.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis("own");

const schedulesKey = (keyPrefix: string): string => `{${keyPrefix}}:${keyPrefix}-v1-short:repeat`;
const document = `
version: 1
sources: { default: {} }
drains:
  main:
    schedule: { every: 1h, full: 1h }
    rules:
      - { name: outage, when: { responseStatus: 503 }, then: republish }
`;

it("schedules and replicas that Redis lost are written again as soon as a loss is noticed, before their own time comes", async () => {
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
    (await connection.command("ZRANGE", schedulesKey(keyPrefix), 0, -1)) as string[];
  const all = ["census:default", "tick:main"];
  const look = async (): Promise<readonly string[]> => [...(await scheduled())].toSorted();
  await expect.poll(look, { timeout: 30_000, interval: 20 }).toEqual(all);
  const living = async (): Promise<number> => (await pod.live.current().replicas.all()).length;
  await expect.poll(living, { timeout: 30_000, interval: 20 }).toBe(1);
  const [source] = pod.live.current().sources.values();
  const { ledger } = source!.runtime;
  await ledger.now();

  await connection.command("FLUSHALL");
  // As a window asks that is under way.
  await ledger.now();
  expect(pod.eventsOf("ledger:lost-writes").length).toBe(1);
  // Without the notice both would be 15 s after the first time.
  await expect.poll(look, { timeout: 30_000, interval: 20 }).toEqual(all);
  await expect.poll(living, { timeout: 30_000, interval: 20 }).toBe(1);
});
