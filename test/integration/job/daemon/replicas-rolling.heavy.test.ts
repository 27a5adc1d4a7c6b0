import { expect, it } from "vitest";
import { startPod, type Pod } from "../../../support/pod.ts";
import { useRedis } from "../../../support/redis.ts";
import { seedLetters, startService } from "../../../support/service.ts";

const redis = useRedis();

const documentOf = (rule: string): string => `
version: 1
sources: { default: {} }
drains:
  main:
    mode: live
    schedule: { every: 500ms, full: 30m }
    minAge: 1s
    attempts: { max: 5, wait: [1s] }
    lane: none
    limits: { publish: none, perHost: none, perPass: none, perDay: none }
    rules:
      - { name: ${rule}, when: { responseStatus: 503 }, then: republish }
`;

const publishedBy = (...pods: readonly Pod[]): number =>
  pods.reduce((sum, pod) => sum + pod.recordsOf("record:published").length, 0);

const isStarted = (pod: Pod): boolean => pod.eventsOf("daemon:started").length > 0;

it("in a rolling change the old pods finish what they began, and the new ones take over at once", async () => {
  const { emulator, receiver } = await startService();
  // Spread over an hour, so that the pass is cut into as many windows as it can be.
  const total = 8_000;
  const bodies = Array.from({ length: total }, (_, index) => `message ${index}`);
  const spread = { ageMs: 3_700_000, everyMs: 450 };
  seedLetters(emulator, total, (index) => ({ url: `${receiver.url}/hook`, body: bodies[index] }), spread);
  emulator.faults.add({ kind: "latency", operation: "batch", ms: 400, name: "slow" });
  const common = { emulator, redisUrl: redis.url(), keyPrefix: redis.fresh().keyPrefix };

  const [one, two] = [
    startPod({ ...common, document: documentOf("old") }),
    startPod({ ...common, document: documentOf("old") }),
  ];
  await expect.poll(() => publishedBy(one, two), { timeout: 30_000, interval: 50 }).toBeGreaterThan(0);
  const added = [
    startPod({ ...common, document: documentOf("new") }),
    startPod({ ...common, document: documentOf("new") }),
  ];
  await expect.poll(() => added.every(isStarted), { timeout: 30_000, interval: 50 }).toBe(true);

  // One after the other, as a rollout does, each while there is much left.
  await one.stop();
  const atFirstStop = publishedBy(two);
  await expect
    .poll(() => publishedBy(two) - atFirstStop, { timeout: 30_000, interval: 50 })
    .toBeGreaterThan(500);
  expect(publishedBy(...added)).toBe(0);
  expect([one, two, ...added].flatMap((pod) => pod.eventsOf("window:failed"))).toEqual([]);
  await two.stop();
  expect(emulator.dlq.size).toBeGreaterThan(500);

  const stoppedAt = Date.now();
  await expect.poll(() => publishedBy(...added), { timeout: 30_000, interval: 20 }).toBeGreaterThan(0);
  expect(Date.now() - stoppedAt).toBeLessThan(10_000);
  emulator.faults.remove("slow");
  await expect.poll(() => emulator.dlq.size, { timeout: 30_000, interval: 50 }).toBe(0);
  await emulator.idle();
  expect(Object.fromEntries(receiver.counts())).toEqual(Object.fromEntries(bodies.map((body) => [body, 1])));
  // What the old ones left was ended as such and is nobody's failure; the pass after it lists everything.
  const failed = added.flatMap((pod) => pod.eventsOf("window:failed"));
  expect(new Set(failed.map(({ code }) => code))).toEqual(new Set(["document-changed"]));
  expect([one, two, ...added].flatMap((pod) => pod.eventsOf("job:failed"))).toEqual([]);
  const opened = added.flatMap((pod) => pod.eventsOf("pass:opened")).toSorted((a, b) => a.to - b.to);
  expect(opened[0]).toMatchObject({ kind: "full" });
}, 240_000);
