import { expect, it } from "vitest";
import { behindTheHorizon, createRig } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();

const patient = `
    minAge: 0s
    attempts: { max: 2, wait: [0s] }
    rules:
      - { name: outage, when: { responseStatus: 503 }, then: republish }
`;

it("a message that comes back settles a parent whose publication the ledger has forgotten, instead of publishing it again", async () => {
  const rig = await createRig({ redisUrl: redis.url(), drain: patient });
  rig.receiver.answer = () => 503;
  const [parent] = rig.seed(1, { maxRetries: 0 });
  const record = structuredClone(rig.emulator.dlq.find(parent!)!);
  await rig.pass();
  await rig.emulator.idle();
  await rig.core.redis.command("FLUSHALL");
  rig.emulator.dlq.seed([{ ...record, dlqId: parent! }]);
  rig.receiver.answer = () => 200;
  await behindTheHorizon(rig);
  await rig.pass();
  await rig.emulator.idle();
  expect(rig.emulator.dlq.size).toBe(0);
  // Once for the publication before the flush, once for the come-back's own redrive.
  expect(rig.receiver.deliveries).toHaveLength(2);
}, 120_000);
