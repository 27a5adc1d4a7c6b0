import { expect, test } from "vitest";
import { expectDrainedOnce } from "../../../support/accounts.ts";
import { createRig } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();

test("what a rule parks until a date is decided by the next rule after it", async () => {
  const until = new Date(Date.now() + 60_000).toISOString();
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
  await rig.fullPass();
  expect(rig.emulator.dlq.size).toBe(3);
  expect(rig.recordsOf("record:decided").every(({ decision }) => decision.then === "park")).toBe(true);
  rig.advance(61_000);
  expect(await rig.fullPass()).toMatchObject({ outcome: "complete" });
  await expectDrainedOnce(rig, 3);
});
