import { expect, it, onTestFinished } from "vitest";
import { startEmulator } from "../../../../dev/emulator/index.ts";
import { runHere } from "../../../support/cli.ts";
import { createEnv, startDaemon } from "../../../support/daemon.ts";
import { createReceiver } from "../../../support/receiver.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();

/** By itself nothing is probed within the test, and no sweep comes by its schedule. */
const document = `
version: 1
sources: { default: {} }
drains:
  main:
    mode: live
    schedule: { every: 10m, full: 1h }
    lane: { canary: 5, watch: 2s, haltAt: 20%, probeEvery: 1h }
    minAge: 0s
    attempts: { max: 5, wait: [0s], then: park }
    rules:
      - { name: outage, when: { responseStatus: 502-504 }, then: republish }
`;
const env = { REDRIVER_SWEEP_EVERY: "10m" };
const promptlyMs = 10_000;

async function createStage() {
  const [emulator, receiver] = [await startEmulator({ retryScale: 1 / 30 }), await createReceiver(() => 503)];
  onTestFinished(async () => {
    await emulator.close();
    await receiver.close();
  });
  const at = Date.now() - 60 * 60_000;
  emulator.dlq.seed(
    Array.from({ length: 200 }, (_, index) => ({
      dlqId: `${at + index * 500}-0`,
      url: `${receiver.url}/hook`,
      createdAt: at - 5_000,
      responseStatus: 503,
      maxRetries: 0,
      body: `${index}`,
    })),
  );
  const setup = createEnv({ emulator, redisUrl: redis.url(), document, env });
  const cli = (...argv: readonly string[]) => runHere(argv, setup.env);
  const probe = () =>
    cli("lanes", "probe", new URL(receiver.url).host, "--reason", "is it back?", "--by", "ann");
  const lanes = async () => JSON.parse((await cli("lanes", "--json")).out) as Record<string, unknown>;
  return { emulator, receiver, cli, probe, lanes, start: () => startDaemon(setup.env) };
}

it("two replicas, asked from four terminals at once, send one probe within seconds; it comes back, and the next one is as far away as ever", async () => {
  const stage = await createStage();
  const { receiver, probe, lanes } = stage;
  await Promise.all([stage.start(), stage.start()]);
  await expect.poll(async () => (await lanes())["state"], { timeout: 60_000 }).toBe("halted");
  const before = receiver.deliveries.length;

  const asked = await Promise.all([probe(), probe(), probe(), probe()]);
  expect(asked.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0]);
  expect(asked[0]?.err).toMatch(/of main: its next probe is due now\n$/);
  await expect.poll(() => receiver.deliveries.length, { timeout: promptlyMs, interval: 50 }).toBe(before + 1);
  // While it is out, and once it is back, there is no other.
  await expect
    .poll(async () => (await lanes())["why"], { timeout: 30_000 })
    .toBe("a probe failed again, 503");
  expect(receiver.deliveries).toHaveLength(before + 1);
  const { nextInMs, state } = await lanes();
  expect(state).toBe("halted");
  expect(Number(nextInMs)).toBeGreaterThan(80 * 60_000);
}, 180_000);

it("a probe that survives opens the way, and everything arrives once", async () => {
  const stage = await createStage();
  const { emulator, receiver, probe, lanes, cli } = stage;
  await stage.start();
  await expect.poll(async () => (await lanes())["state"], { timeout: 60_000 }).toBe("halted");
  receiver.answer = () => 200;
  const failed = receiver.deliveries.length;
  await probe();
  await expect.poll(() => receiver.deliveries.length, { timeout: promptlyMs, interval: 50 }).toBe(failed + 1);
  const again = await probe();
  expect({ exitCode: again.exitCode, err: again.err }).toEqual({
    exitCode: 0,
    err: expect.stringMatching(/of main: a probe is under way since .*, judged in /) as string,
  });
  await expect.poll(() => emulator.dlq.size, { timeout: 60_000 }).toBe(0);
  // Accepted is not delivered yet.
  const delivered = () => receiver.deliveries.slice(failed).map(({ body }) => body);
  await expect.poll(() => new Set(delivered()).size, { timeout: 30_000 }).toBe(200);
  expect(delivered()).toHaveLength(200);
  expect((await cli("history", "--json")).out).toContain('"act":"lane-probe"');
}, 180_000);
