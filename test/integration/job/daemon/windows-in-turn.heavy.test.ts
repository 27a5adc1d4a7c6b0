import { expect, it } from "vitest";
import { startPod } from "../../../support/pod.ts";
import { useRedis } from "../../../support/redis.ts";
import { seedLetters, startService } from "../../../support/service.ts";

const redis = useRedis();

const drain = (name: string, lines = ""): string => `
  ${name}:
    mode: live
    schedule: { every: 500ms, full: 30m }
    minAge: 1s
    attempts: { max: 5, wait: [1s] }
    lane: none
    select: { topicName: ${name} }
    ${lines}
    rules: [{ name: outage, when: { responseStatus: 503 }, then: republish }]`;

it("a drain of thousands at its rate keeps no pass of a small one waiting for its own end", async () => {
  const { emulator, receiver } = await startService();
  const seed = (topicName: string, count: number, spanMs: number) =>
    seedLetters(emulator, count, () => ({ url: `${receiver.url}/hook`, topicName }), {
      ageMs: spanMs + 1_000,
      everyMs: Math.floor(spanMs / count),
    });
  seed("big", 2_000, 6 * 3_600_000);
  const pod = startPod({
    emulator,
    redisUrl: redis.url(),
    keyPrefix: redis.fresh().keyPrefix,
    document: `version: 1
sources: { default: {} }
drains:${drain("big", "limits: { publish: 10/s }")}${drain("small")}
`,
  });
  const publishedOf = (name: string): number =>
    pod.recordsOf("record:published").filter((event) => event.drain === name).length;
  await expect.poll(() => publishedOf("big"), { timeout: 30_000, interval: 20 }).toBeGreaterThan(20);
  seed("small", 20, 1_000);
  await expect.poll(() => publishedOf("small"), { timeout: 100_000, interval: 20 }).toBe(20);
  expect(publishedOf("big")).toBeLessThan(500);
}, 300_000);
