import { expect, it } from "vitest";
import { behindTheHorizon, createRig, type Rig } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();

const drainWith = (flowControl: string, set = ""): string => `
    minAge: 0s
    attempts: { max: 9, wait: [0s] }
    flowControl: ${flowControl}
    rules:
      - { name: partner, when: { flowControlKey: partner }, then: republish }
      - { name: own, when: { header: { X-Own: "1" } }, then: republish, set: { flowControl: { key: own, parallelism: 7 } } }
      - { name: outage, when: any, then: republish${set} }
`;

/** Flow control of what is in the DLQ, in the order of the bodies. */
async function listed(rig: Rig) {
  const { records } = await rig.drain.source.service.list({ select: {}, count: 100 });
  return records
    .toSorted((one, other) => String(one["body"]).localeCompare(String(other["body"])))
    .map(({ flowControlKey, rate, period, parallelism }) => ({ flowControlKey, rate, period, parallelism }));
}

/** A pass in which all three go once, and fail again. */
async function passAndFail(rig: Rig): Promise<void> {
  const before = rig.recordsOf("record:published").length;
  await behindTheHorizon(rig);
  await rig.fullPass();
  expect(rig.recordsOf("record:published").length - before).toBe(3);
  await rig.emulator.idle();
}

it("what a drain redrives carries its flow control, and comes back to its own when the drain has none", async () => {
  const options = { redisUrl: redis.url(), drain: drainWith("{ key: redriven, rate: 100, period: 1s }") };
  const rig = await createRig(options);
  rig.receiver.answer = () => 503;
  const partner = { flowControlKey: "partner", rate: 50, period: 2, parallelism: 3 };
  rig.seed(1, { ...partner, body: "a", maxRetries: 0 });
  rig.seed(1, { body: "b", maxRetries: 0 });
  rig.seed(1, { ...partner, flowControlKey: "other", body: "c", header: { "X-Own": ["1"] }, maxRetries: 0 });
  const ours = { flowControlKey: "redriven", rate: 100, period: 1 };
  const own = { flowControlKey: "own", parallelism: 7 };

  await passAndFail(rig);
  expect(await listed(rig)).toMatchObject([ours, ours, own]);
  const rules = () => rig.recordsOf("record:decided").map(({ decision }) => String(decision.rule));
  expect(rules().toSorted()).toEqual(["outage", "own", "partner"]);
  // Twice, so that what came back from one redrive goes through another: its rule asks for the key that it
  // had at first.
  await passAndFail(rig);
  expect(await listed(rig)).toMatchObject([ours, ours, own]);
  expect(rules().slice(3).toSorted()).toEqual(["outage", "own", "partner"]);

  const without = await createRig({ ...options, drain: drainWith("none"), twinOf: rig });
  await passAndFail(without);
  expect(await listed(rig)).toEqual([partner, {}, expect.objectContaining(own)]);
}, 120_000);
