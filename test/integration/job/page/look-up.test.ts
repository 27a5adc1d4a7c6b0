import { describe, expect, it } from "vitest";
import { behindTheHorizon, createRig } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();

const patient = `
    minAge: 0s
    attempts: { max: 2, wait: [0s] }
    rules:
      - { name: outage, when: { responseStatus: 503 }, then: republish }
`;

describe("a message that comes back", () => {
  it("keeps its root, counts its attempts and is parked when they are spent", async () => {
    const rig = await createRig({ redisUrl: redis.url(), drain: patient });
    rig.receiver.answer = () => 503;
    rig.seed(3, { maxRetries: 0 });
    const rounds = [];
    for (let round = 0; round < 3; round += 1) {
      rounds.push(await rig.pass());
      await rig.emulator.idle();
      await behindTheHorizon(rig);
    }
    expect(rounds).toMatchObject([
      { tally: { republished: 3, parked: 0 } },
      { tally: { republished: 3, comeBacks: 3, parked: 0 } },
      { tally: { republished: 0, comeBacks: 3, parked: 3 } },
    ]);
    expect(rig.emulator.dlq.size).toBe(3);
    const lineages = rig.receiver.deliveries.map(({ headers }) => headers["x-redriver"]);
    expect(lineages).toHaveLength(6);
    expect(lineages.every((value) => typeof value === "string" && value.startsWith("v1."))).toBe(true);
    expect(rig.recordsOf("record:decided").at(-1)).toMatchObject({
      decision: { then: "park", reason: "attempts-exhausted" },
    });
  }, 120_000);

  it("settles a parent whose publication the ledger has forgotten, instead of publishing it again", async () => {
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
});
