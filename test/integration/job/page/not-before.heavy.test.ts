/** Messages that must not be delivered before a time: held until then, or sent with it. */
import { expect, test } from "vitest";
import { atOnce, createRig, oneWindow, type Rig } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();
const hour = 3_600_000;
const isListed = (rig: Rig, id: string | undefined) => rig.emulator.dlq.find(id ?? "") !== undefined;

test("a message is delivered at its time, in the first pass after it, without a full pass", async () => {
  const rig = await createRig({ redisUrl: redis.url(), drain: atOnce, ...oneWindow });
  const [held] = rig.seed(1, { notBefore: Date.now() + hour });
  const [queued] = rig.seed(1, { notBefore: Date.now() + hour, queueName: "q" });
  rig.seed(3);
  expect(await rig.pass()).toMatchObject({ tally: { republished: 3, held: 2 } });
  expect(rig.recordsOf("record:decided").map(({ decision }) => decision.reason)).toContain("not-before");
  rig.advance(hour - 60_000);
  expect(await rig.pass()).toMatchObject({ tally: { republished: 0 } });
  await rig.emulator.idle();
  expect(rig.receiver.counts().size).toBe(3);
  // A pass looks back five seconds.
  rig.advance(66_000);
  expect(await rig.pass()).toMatchObject({ tally: { republished: 2, deleted: 2 } });
  await rig.emulator.idle();
  expect([isListed(rig, held), isListed(rig, queued)]).toEqual([false, false]);
  expect([...rig.receiver.counts().values()]).toEqual([1, 1, 1, 1, 1]);
});
