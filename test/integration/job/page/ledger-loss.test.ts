import { describe, expect, it } from "vitest";
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

async function flushedRig(policy: string): Promise<Rig> {
  const rig = await createRig({
    redisUrl: redis.url(),
    settings,
    source: "{ dedupWindow: 90s }",
    drain: `
    minAge: 0s
    attempts: { max: 5, wait: [0s] }
    ${policy}
    rules:
      - { name: outage, when: { responseStatus: 503 }, then: republish }
`,
  });
  await rig.pass();
  rig.seed(3);
  await rig.core.redis.command("FLUSHALL");
  // Notices the loss, and does not act on what is there.
  await rig.drain.source.ledger.now();
  await expect.poll(async () => (await rig.drain.source.ledger.now()).lost).toBeDefined();
  return rig;
}

describe("records from before a loss of the ledger", () => {
  it("are parked where the drain says so, until a person releases them", async () => {
    const rig = await flushedRig("afterLedgerLoss: park");
    expect(rig.eventsOf("ledger:lost-writes")).toHaveLength(1);
    expect(await rig.pass()).toMatchObject({
      tally: { republished: 0, parked: 3, reasons: { parked: { "ledger-lost": 3 } } },
    });
    const { ledger } = rig.drain.source;
    const { entries } = await ledger.parked(null, 10);
    await ledger.release(entries.slice(1).map(({ dlqId }) => dlqId));
    expect(await rig.fullPass()).toMatchObject({ tally: { republished: 2, parked: 1 } });
    expect(rig.emulator.dlq.size).toBe(1);
  });

  it("are republished by default, and each is named for it", async () => {
    const rig = await flushedRig("");
    expect(await rig.pass()).toMatchObject({ tally: { republished: 3 } });
    const reasons = rig.recordsOf("record:decided").map(({ decision }) => decision.reason);
    expect(reasons).toEqual(["after-ledger-loss", "after-ledger-loss", "after-ledger-loss"]);
    expect(rig.emulator.dlq.size).toBe(0);
  });
});

it("kinds of failure are recorded again after Redis has lost them, so that counts keep their destinations", async () => {
  const rig = await createRig({ redisUrl: redis.url(), settings });
  const { failures, ledger } = rig.drain.source;
  rig.seed(3, { responseStatus: 499 });
  await rig.pass();
  const before = await failures.all();
  expect(before).toHaveLength(1);
  await rig.core.redis.command("FLUSHALL");
  await ledger.now();
  await expect.poll(() => rig.eventsOf("ledger:lost-writes")).toHaveLength(1);
  await rig.pass();
  const after = await failures.all();
  expect(after.map(({ id, origin }) => ({ id, origin }))).toEqual(
    before.map(({ id, origin }) => ({ id, origin })),
  );
});
