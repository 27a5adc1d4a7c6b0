import { expect, it } from "vitest";
import { createRig, type Rig } from "../../../support/rig.ts";
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

interface Listed {
  readonly flowControlKey?: string;
  readonly rate?: number;
  readonly period?: number;
  readonly parallelism?: number;
}

/** Flow control of what is in the DLQ, in the order of the bodies. */
async function listed(rig: Rig): Promise<readonly Listed[]> {
  const { records } = await rig.drain.source.service.list(
    { select: {}, count: 100 },
    new AbortController().signal,
  );
  return records
    .toSorted((one, other) => (String(one["body"]) < String(other["body"]) ? -1 : 1))
    .map(({ flowControlKey, rate, period, parallelism }) =>
      Object.fromEntries(
        Object.entries({ flowControlKey, rate, period, parallelism }).filter(
          ([, value]) => value !== undefined,
        ),
      ),
    );
}

/** Passes until all three went once; what came back is behind the horizon first. */
async function passAndFail(rig: Rig): Promise<void> {
  const before = rig.eventsOf("record:published").length;
  const published = async (): Promise<number> => {
    await rig.drain.source.passes.forceFull(rig.drain.config.name);
    await rig.pass();
    return rig.eventsOf("record:published").length - before;
  };
  await expect.poll(published, { timeout: 30_000, interval: 500 }).toBe(3);
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
  expect(rig.eventsOf("record:decided").map(({ decision }) => decision.rule)).toEqual([
    "partner",
    "outage",
    "own",
  ]);
  // Twice, so that what came back from one redrive goes through another: its rule asks for the key that it had at first.
  await passAndFail(rig);
  expect(await listed(rig)).toMatchObject([ours, ours, own]);
  expect(
    rig
      .eventsOf("record:decided")
      .slice(3)
      .map(({ decision }) => decision.rule),
  ).toEqual(["partner", "outage", "own"]);

  const without = await createRig({ ...options, drain: drainWith("none"), twinOf: rig });
  await passAndFail(without);
  expect(await listed(rig)).toEqual([partner, {}, expect.objectContaining(own)]);
}, 120_000);
