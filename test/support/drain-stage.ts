import { expect } from "vitest";
import type { EmulatorOptions } from "../../dev/emulator/index.ts";
import { createEnv } from "./daemon.ts";
import { seedLetters, startService } from "./service.ts";

/**
 * A service with dead letters, a receiver that counts, and what a daemon needs to drain the one into the
 * other.
 */
export type DrainStage = Awaited<ReturnType<typeof createDrainStage>>;

export const document = `
version: 1
sources: { default: {} }
drains:
  main:
    mode: live
    schedule: { every: 500ms, full: 2s }
    lane: none
    limits: { publish: none, perHost: none, perPass: none, perDay: none }
    minAge: 1s
    attempts: { max: 5, wait: [1s] }
    rules:
      - { name: outage, when: { responseStatus: 503 }, then: republish }
`;

/** S + T + 15 s is the takeover; sweeps come every second. */
export const impatient = {
  REDRIVER_LEDGER_SEND_BY: "2s",
  REDRIVER_SERVICE_BATCH_TIMEOUT: "2s",
  REDRIVER_SERVICE_DELETE_TIMEOUT: "3s",
  REDRIVER_SWEEP_EVERY: "1s",
};

export async function createDrainStage(
  redis: { readonly url: string; readonly env?: Readonly<Record<string, string>> },
  options: EmulatorOptions = {},
) {
  const { emulator, receiver } = await startService(options);
  const setup = createEnv({ emulator, redisUrl: redis.url, document, env: { ...impatient, ...redis.env } });
  let seeded = 0;
  return {
    emulator,
    receiver,
    setup,
    /** Records that the rule republishes, with so many characters of padding; answers their bodies. */
    seed(count: number, padding = 0): string[] {
      const bodies = Array.from({ length: count }, () =>
        JSON.stringify({ id: `m-${(seeded += 1)}`, pad: "x".repeat(padding) }),
      );
      const url = `${receiver.url}/hook`;
      seedLetters(emulator, count, (index) => ({ url, body: bodies[index] }), { everyMs: 10 });
      return bodies;
    },
    /** Nothing is left in the DLQ, and everything that was sent has arrived. */
    async emptied(timeout: number): Promise<void> {
      await expect.poll(() => emulator.dlq.size, { timeout, interval: 100 }).toBe(0);
      await emulator.idle();
    },
    /** Each body once, and nothing else. */
    deliveredOnce(bodies: readonly string[]): void {
      expect(Object.fromEntries(receiver.counts())).toEqual(
        Object.fromEntries(bodies.map((body) => [body, 1])),
      );
    },
  };
}

export interface Ready {
  readonly ok: boolean;
  readonly reasons: readonly string[];
}

export async function readyz(address: string): Promise<Ready> {
  return (await (await fetch(`${address}/readyz`)).json()) as Ready;
}
