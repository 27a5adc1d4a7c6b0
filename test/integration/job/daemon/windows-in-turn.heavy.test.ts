import { expect, it } from "vitest";
import type { Emulator } from "../../../../dev/emulator/index.ts";
import { startPod, type Pod } from "../../../support/pod.ts";
import { useRedis } from "../../../support/redis.ts";
import { startService } from "../../../support/service.ts";

const redis = useRedis();

const sixHoursMs = 6 * 3_600_000;

interface Stand {
  readonly emulator: Emulator;
  /**
   * What failed with 503 over so long, until just now; the sequence in its ids counts up with the time of
   * entry.
   */
  seed(count: number, spanMs: number, fields?: Readonly<Record<string, unknown>>): void;
  start(drains: string, sources?: string): Pod;
}

async function createStand(): Promise<Stand> {
  const { emulator, receiver } = await startService();
  let seeded = 0;
  return {
    emulator,
    seed(count, spanMs, fields = {}) {
      const from = Date.now() - spanMs - 1_000;
      emulator.dlq.seed(
        Array.from({ length: count }, (_, index) => ({
          dlqId: `${from + Math.floor((index * spanMs) / count)}-${(seeded += 1)}`,
          url: `${receiver.url}/hook`,
          createdAt: from - 5_000,
          responseStatus: 503,
          ...fields,
        })),
      );
    },
    start: (drains, sources = "{ default: {} }") =>
      startPod({
        emulator,
        redisUrl: redis.url(),
        keyPrefix: redis.fresh().keyPrefix,
        document: `version: 1\nsources: ${sources}\ndrains:\n${drains}`,
      }),
  };
}

function drain(name: string, lines: string): string {
  return `  ${name}:
    mode: live
    schedule: { every: 500ms, full: 30m }
    minAge: 1s
    attempts: { max: 5, wait: [1s] }
    lane: none
    ${lines}
    rules: [{ name: outage, when: { responseStatus: 503 }, then: republish }]
`;
}

const publishedOf = (pod: Pod, name: string): number =>
  pod.recordsOf("record:published").filter((event) => event.drain === name).length;

it("a drain of thousands at its rate keeps no pass of a small one waiting for its own end", async () => {
  const { seed, start } = await createStand();
  seed(2_000, sixHoursMs, { topicName: "big" });
  const pod = start(
    drain("big", "select: { topicName: big }\n    limits: { publish: 10/s }") +
      drain("small", "select: { topicName: small }"),
  );
  await expect.poll(() => publishedOf(pod, "big"), { timeout: 30_000, interval: 20 }).toBeGreaterThan(20);
  seed(20, 1_000, { topicName: "small" });
  await expect.poll(() => publishedOf(pod, "small"), { timeout: 100_000, interval: 20 }).toBe(20);
  expect(publishedOf(pod, "big")).toBeLessThan(500);
}, 300_000);
