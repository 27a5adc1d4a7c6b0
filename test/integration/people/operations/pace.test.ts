import { expect, it } from "vitest";
import { examine } from "../../../../src/people/operations/doctor/examine.ts";
import { atOnce, createRig } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();

/** The doctor's word about the pace, when so many were published lately and a delivery took so long. */
async function findingAfter(published: number, tookMs: number | null) {
  const rig = await createRig({
    redisUrl: redis.url(),
    drain: atOnce,
    source: "{ maxParallelism: 10, watchDeliveries: true }",
  });
  const { config, capacity } = rig.drain.source;
  const undelivered = { max: 10, slowMs: 45_000 };
  const request = { host: "a", rule: null, post: "first" as const };
  await capacity.take({
    source: config.id,
    drain: rig.drain.config.name,
    passId: null,
    limits: {},
    undelivered,
    requests: Array.from({ length: published }, () => request),
  });
  if (tookMs !== null) await capacity.learn(config.id, undelivered, { tookMs });
  const findings = await examine(rig.core, new AbortController().signal);
  return findings.filter(({ message }) => /maxParallelism|at once/.test(message));
}

it("the doctor warns if what was published lately is more than the account delivers in the time that was seen", async () => {
  expect(await findingAfter(30, 500)).toEqual([
    {
      subject: "source default",
      state: "warning",
      message: expect.stringMatching(
        /^(5\d|60)\.\d\/s were published lately, and it delivers 10 at once, 500 ms each: 20\.0\/s; lower limits\.publish, or take a plan with more parallelism$/,
      ) as string,
    },
  ]);
});

it("is content if the account keeps up, and says if nothing was seen yet", async () => {
  expect(await findingAfter(5, 500)).toEqual([
    expect.objectContaining({
      state: "ok",
      message: expect.stringContaining("its deliveries keep up") as string,
    }),
  ]);
  expect(await findingAfter(5, null)).toEqual([
    expect.objectContaining({ state: "ok", message: "maxParallelism is 10; no delivery was seen yet" }),
  ]);
});
