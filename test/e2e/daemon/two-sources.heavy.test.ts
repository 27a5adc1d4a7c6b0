import { expect, it } from "vitest";
import { expectDrainedOnce } from "../../support/accounts.ts";
import { createEnv, startDaemon } from "../../support/daemon.ts";
import { useRedis } from "../../support/redis.ts";
import { seedLetters, startService } from "../../support/service.ts";

const redis = useRedis();

type Service = Awaited<ReturnType<typeof serviceWith>>;

async function serviceWith(records: number) {
  const { emulator, receiver } = await startService();
  seedLetters(emulator, records, () => ({ url: `${receiver.url}/hook`, maxRetries: 3 }));
  return { emulator, receiver };
}

const drain = (name: string, source: string): string => `
  ${name}:
    source: ${source}
    mode: live
    schedule: { every: 500ms, full: 2s }
    lane: none
    limits: { publish: none, perHost: none }
    minAge: 1s
    rules:
      - { name: outage, when: { responseStatus: 503 }, then: republish }
`;

/** A daemon over both, each with a drain of its own. */
async function daemonOf(odd: Service, sound: Service) {
  const document = `
version: 1
sources:
  odd: {}
  sound: { url: "${sound.emulator.url}", token: { env: SOUND_TOKEN } }
drains:${drain("one", "odd")}${drain("two", "sound")}`;
  const { env } = createEnv({
    emulator: odd.emulator,
    redisUrl: redis.url(),
    document,
    env: { SOUND_TOKEN: sound.emulator.token },
  });
  return startDaemon(env);
}

it("an answer that does not parse halts its source and is told; the other source of the same daemon goes on", async () => {
  const odd = await serviceWith(20);
  const sound = await serviceWith(150);
  odd.emulator.faults.add({ kind: "malformed-json", operation: "list", name: "odd" });
  const daemon = await daemonOf(odd, sound);
  const halted = await daemon.line(({ event }) => event === "source:halted", 20_000);
  expect(halted).toMatchObject({ source: "odd", code: "answer-unreadable" });
  await expect.poll(() => sound.emulator.dlq.size, { timeout: 30_000, interval: 100 }).toBe(0);
  await expectDrainedOnce(sound, 150);

  const asked = odd.emulator.journal.counts().requests;
  expect(odd.emulator.dlq.size).toBe(20);
  expect(Object.keys(asked)).toEqual(["list 200"]);
  expect((await fetch(`${daemon.address}/readyz`)).status).toBe(200);
  expect(daemon.log.filter(({ event, source }) => event === "source:halted" && source !== "odd")).toEqual([]);

  odd.emulator.faults.remove("odd");
  // It is probed every 30 s.
  await expect.poll(() => odd.emulator.dlq.size, { timeout: 45_000, interval: 250 }).toBe(0);
  await expectDrainedOnce(odd, 20);
}, 240_000);
