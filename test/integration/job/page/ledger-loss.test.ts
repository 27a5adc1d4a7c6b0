import { expect, it } from "vitest";
import { createRig, type Rig } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis("own");

// The gate is longer than the horizon here, so the policy applies from the loss on.
const settings = {
  "ledger.sendBy": "1s",
  "ledger.networkDelay": "1s",
  "ledger.maxPageAge": "60s",
  "ledger.settleGateAge": "60s",
  "service.batchTimeout": "1s",
};

/** Redis loses everything. It is noticed before anything is done about what is there. */
async function flush({ core, drain: { source } }: Rig): Promise<void> {
  await core.redis.command("FLUSHALL");
  await source.ledger.now();
  await expect.poll(async () => (await source.ledger.now()).lost).toBeDefined();
}

it("records from before a loss of the ledger are republished by default, and each is named for it", async () => {
  const rig = await createRig({ redisUrl: redis.url(), settings, source: "{ dedupWindow: 90s }" });
  await rig.pass();
  rig.seed(3);
  await flush(rig);
  expect(await rig.pass()).toMatchObject({ tally: { republished: 3 } });
  const reasons = rig.recordsOf("record:decided").map(({ decision }) => decision.reason);
  expect(reasons).toEqual(["after-ledger-loss", "after-ledger-loss", "after-ledger-loss"]);
  expect(rig.emulator.dlq.size).toBe(0);
});

it("kinds of failure are recorded again after Redis has lost them, so that counts keep their destinations", async () => {
  const rig = await createRig({ redisUrl: redis.url(), settings });
  const { failures } = rig.drain.source;
  rig.seed(3, { responseStatus: 499 });
  await rig.pass();
  const before = await failures.all();
  expect(before).toHaveLength(1);
  await flush(rig);
  await rig.pass();
  const after = await failures.all();
  expect(after.map(({ id, origin }) => ({ id, origin }))).toEqual(
    before.map(({ id, origin }) => ({ id, origin })),
  );
});
