/** The brake with the real daemon: 10,000 to a slow host, and fewer with refused calls and lost answers. */
import { createServer } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { runToEnd } from "../../support/command.ts";
import { createEnv, startDaemon } from "../../support/daemon.ts";
import { impatient } from "../../support/drain-stage.ts";
import { serve } from "../../support/serve.ts";
import { seedLetters, startService } from "../../support/service.ts";
import { useRedis } from "../../support/redis.ts";

const redis = useRedis();
/** Of one POST, and the most that the host gets after the answer. */
const batch = 100;

const document = `
version: 1
sources: { default: { brake: ${batch}, listByIds: true } }
drains:
  main:
    mode: live
    schedule: { every: 500ms, full: 2s }
    lane: none
    limits: { publish: none, perHost: none }
    minAge: 1s
    attempts: { max: 5, wait: [1s] }
    rules:
      - { name: outage, when: { responseStatus: 503 }, then: republish }
`;
const reason = ["--reason", "INC-7", "--by", "ann"];

/** Answers so many ms after a message has come. `came`: of each body, the messages that had it. */
async function startSlowHost() {
  const came = new Map<string, Set<unknown>>();
  const slow = { ms: 400 };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString();
      came.set(body, (came.get(body) ?? new Set()).add(request.headers["upstash-message-id"]));
      setTimeout(() => response.end(), slow.ms);
    });
  });
  const { url, close } = await serve(server);
  onTestFinished(close);
  return { url, came, slow };
}

it.each([
  { what: "host", letters: 10_000, faults: false },
  { what: "--all", letters: 3_000, faults: true },
])("brake $what, with faults: $faults", { timeout: 600_000 }, async ({ what, letters, faults }) => {
  const host = await startSlowHost();
  const { emulator } = await startService({ maxInFlight: 1_000, dedupWindowMs: 600_000 });
  const { env } = createEnv({
    emulator,
    redisUrl: redis.url(),
    document,
    env: impatient,
  });
  seedLetters(emulator, letters, () => ({ url: `${host.url}/hook`, maxRetries: 3 }), { everyMs: 10 });
  if (faults) {
    // No 429 of a batch beside its lost answers: a hit after a 429 proves nothing, so some would be in doubt for minutes.
    emulator.faults.add({ kind: "drop-answer", operation: "batch", probability: 0.2 });
    emulator.faults.add({ kind: "status", operation: "manage", status: 429, probability: 0.2 });
    emulator.faults.add({ kind: "drop-answer", operation: "manage", probability: 0.2 });
  }
  await startDaemon(env);
  const accepted = (): number => letters - emulator.dlq.size;
  // With faults a busy machine publishes slowly.
  await expect
    .poll(accepted, { timeout: 200_000, interval: 50 })
    .toBeGreaterThan(letters / (faults ? 15 : 10));
  const target = what === "host" ? ["127.0.0.1"] : ["--all"];
  const braked = await runToEnd(["brake", ...target, ...reason], env);
  const atAnswer = host.came.size;
  expect(braked.exitCode, braked.err).toBe(0);
  expect(braked.err).toMatch(/at the service \d+ keys? paused, [\d,]+ published wait there/);
  await delay(6_000);
  const delivered = host.came.size - atAnswer;
  expect(delivered).toBeLessThanOrEqual(batch);
  // With faults, one look may not say.
  const status = async () => (await runToEnd(["status"], env)).out;
  await expect
    .poll(status, { timeout: 60_000 })
    .toMatch(/braked at the service: [\d,]+ published wait, redriver resume lets go/);
  host.slow.ms = 0;
  const resumed = await runToEnd(
    ["resume", ...(what === "host" ? ["--host", "127.0.0.1"] : target), ...reason],
    env,
  );
  expect(resumed.exitCode, resumed.err).toBe(0);
  expect(resumed.err).toContain("let go at the service");
  emulator.faults.clear();
  await expect.poll(() => host.came.size, { timeout: 200_000, interval: 200 }).toBe(letters);
  await expect.poll(() => emulator.dlq.size, { timeout: 120_000, interval: 200 }).toBe(0);
  await emulator.idle();
  // The service itself may bring a message twice, if it does not hear the host's answer.
  expect([...host.came.values()].filter(({ size }) => size !== 1)).toEqual([]);
});
