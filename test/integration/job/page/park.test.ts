import { expect, test } from "vitest";
import { createRig, type Rig } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();

async function fullPass(rig: Rig): Promise<void> {
  await rig.drain.source.passes.forceFull(rig.drain.config.name);
  expect(await rig.pass()).toMatchObject({ outcome: "complete" });
}

/** Full passes until the DLQ is empty. */
async function passesUntilEmpty(rig: Rig): Promise<void> {
  await expect
    .poll(
      async () => {
        rig.advance(1_000);
        await fullPass(rig);
        return rig.emulator.dlq.size;
      },
      { timeout: 30_000, interval: 10 },
    )
    .toBe(0);
}

test("what a rule parks until a date is decided by the next rule after it", async () => {
  const until = new Date(Date.now() + 1_500).toISOString();
  const rig = await createRig({
    redisUrl: redis.url(),
    drain: `
    minAge: 1s
    attempts: { max: 5, wait: [1s] }
    rules:
      - { name: incident, when: { responseStatus: 503 }, then: park, ignoreAfter: "${until}" }
      - { name: outage, when: { responseStatus: 503 }, then: republish }
`,
  });
  rig.seed(3);
  await fullPass(rig);
  expect(rig.emulator.dlq.size).toBe(3);
  expect(rig.recordsOf("record:decided").every(({ decision }) => decision.then === "park")).toBe(true);
  await passesUntilEmpty(rig);
  await rig.emulator.idle();
  expect([...rig.receiver.counts().values()]).toEqual([1, 1, 1]);
});
