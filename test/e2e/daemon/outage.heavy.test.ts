import { expect, it } from "vitest";
import { createEnv, startDaemon } from "../../support/daemon.ts";
import { useRedis } from "../../support/redis.ts";
import { startService } from "../../support/service.ts";

const redis = useRedis();

/** The built-in waits 2 m, 10 m, 1 h, 4 h at 1:120. The retry ladder of the emulator is scaled alike. */
const document = `
version: 1
sources: { default: {} }
drains:
  main:
    mode: live
    schedule: { every: 500ms, full: 5s }
    lane: none
    limits: { publish: none, perHost: none }
    minAge: 1s
    attempts: { max: 5, wait: [1s, 5s, 30s, 120s], then: park }
    rules:
      - { name: outage, when: { responseStatus: [502-504, none] }, then: republish }
`;
/** An hour at 1:120. */
const outageMs = 30_000;

it("a receiver that is down for an hour of scaled time exhausts no attempts: what failed drains by itself afterwards", async () => {
  const { emulator, receiver } = await startService({ retryScale: 1 / 120 });
  receiver.answer = () => 503;
  const { env } = createEnv({ emulator, redisUrl: redis.url(), document });
  const published = await fetch(`${emulator.url}/v2/batch`, {
    method: "POST",
    headers: { Authorization: `Bearer ${emulator.token}`, "Content-Type": "application/json" },
    body: JSON.stringify(
      Array.from({ length: 50 }, (_, index) => ({
        destination: `${receiver.url}/hook`,
        headers: { "Upstash-Retries": "1" },
        body: `message ${index}`,
      })),
    ),
  });
  expect(published.status).toBe(200);
  const startedAt = Date.now();
  const daemon = await startDaemon(env);
  await expect
    .poll(() => Date.now() - startedAt, { timeout: outageMs + 5_000, interval: 500 })
    .toBeGreaterThan(outageMs);
  const failures = receiver.deliveries.length;
  receiver.deliveries.length = 0;
  receiver.answer = () => 200;

  await expect.poll(() => receiver.counts().size, { timeout: 90_000, interval: 500 }).toBe(50);
  await expect.poll(() => emulator.dlq.size, { timeout: 30_000, interval: 500 }).toBe(0);
  await emulator.idle();
  expect(new Set(receiver.counts().values())).toEqual(new Set([1]));
  // It was tried while the receiver was down, or there would have been nothing to exhaust.
  expect(failures).toBeGreaterThan(100);
  const metrics = await (await fetch(`${daemon.address}/metrics`)).text();
  expect(metrics).toMatch(
    /redriver_decision_reasons_total\{source="default",decision="park",reason="attempts-exhausted"\} 0/,
  );
}, 360_000);
