import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { runToEnd } from "../../support/command.ts";
import { createEnv, startDaemon } from "../../support/daemon.ts";
import { useRedis } from "../../support/redis.ts";
import { seedLetters, startService } from "../../support/service.ts";

const redis = useRedis();

const document = `
version: 1
sources: { default: { census: 10s } }
drains:
  main:
    mode: live
    lane: none
    schedule: { every: 1m }
    limits: { publish: 40/s }
    minAge: 0s
    rules: [{ name: all, when: any, then: republish }]
`;

/** What the daemon may do between a number of the queue and one of redriver, and what a page has begun. */
const unsettled = 200;

it("a first pass of a long backlog says how many wait, also after its worker was killed", async () => {
  const { emulator, receiver } = await startService();
  const { env } = createEnv({ emulator, redisUrl: redis.url(), document });
  seedLetters(emulator, 6_000, () => ({ url: `${receiver.url}/hook`, responseStatus: 503 }));
  const waiting = async (): Promise<number> => {
    const { out } = await runToEnd(["status", "--json"], env);
    const { drains } = JSON.parse(out) as {
      drains: readonly [{ readonly gone: object | null; readonly outlook: { readonly waiting: number } }];
    };
    expect(drains[0].gone).not.toBeNull();
    return drains[0].outlook.waiting;
  };
  const checkTwice = async (): Promise<void> => {
    for (const _ of [1, 2]) {
      await delay(6_000);
      const before = emulator.dlq.size;
      const shown = await waiting();
      expect(shown).toBeLessThanOrEqual(before + unsettled);
      expect(shown).toBeGreaterThanOrEqual(emulator.dlq.size - unsettled);
    }
  };
  const first = await startDaemon(env);
  await checkTwice();
  first.child.kill("SIGKILL");
  await first.ended;
  const second = await startDaemon(env);
  await checkTwice();
  await checkTwice();
  second.child.kill("SIGTERM");
  await second.ended;
}, 240_000);
