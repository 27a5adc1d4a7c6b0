/** Messages that must not be delivered before a time: held until then, or sent with it. */
import { expect, test } from "vitest";
import type { DlqId } from "../../../../src/job/message/dead-letter.ts";
import type { BatchOutcome } from "../../../../src/job/contracts/service.ts";
import { runListingChecks } from "../../../../src/job/lanes/listing-checks.ts";
import { passWith } from "../../../support/pass-with.ts";
import { atOnce, createRig, oneWindow, type Rig } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";
import { textOfEncoded } from "../../../support/text-of-encoded.ts";

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

test("one that waits costs nobody anything beside poison and lost answers", async () => {
  const rig = await createRig({ redisUrl: redis.url(), drain: atOnce });
  const [held] = rig.seed(1, { notBefore: Date.now() + hour });
  const [never] = rig.seed(1, { notBefore: 8_640_000_000_000_000 });
  const [poison] = rig.seed(1, { body: '{"poison":1}' });
  rig.seed(19);
  const refused: BatchOutcome = { kind: "refused", status: 400, error: "no", bisectBy: "count" };
  const { service } = rig.drain.source;
  let accepted = 0;
  const publish: typeof service.publish = async (items, ...call) => {
    if (items.some((item) => textOfEncoded(item).includes("poison"))) return refused;
    const outcome = await service.publish(items, ...call);
    return (accepted += 1) % 2 === 1 ? { kind: "in-doubt", error: "lost" } : outcome;
  };
  const result = await passWith(rig, { service: { ...service, publish } }, { alwaysFull: true });
  expect(result).toMatchObject({ tally: { republished: 19, deleted: 19, parked: 1, held: 2, inDoubt: 0 } });
  await rig.emulator.idle();
  expect([...rig.receiver.counts().values()]).toEqual(Array.from({ length: 19 }, () => 1));
  const { views } = await rig.drain.source.ledger.peek([held, never, poison] as DlqId[]);
  expect(views.map(({ state }) => state)).toEqual(["absent", "absent", "parked"]);
});

test("one whose record expires first is sent with its time, and delivered then", async () => {
  const rig = await createRig({ redisUrl: redis.url(), drain: atOnce });
  const [late] = rig.seed(1, { notBefore: Date.now() + 3 * hour + 1 }, 70 * hour);
  const [queued] = rig.seed(1, { notBefore: Date.now() + 3 * hour + 1, queueName: "q" }, 70 * hour);
  expect(await rig.pass()).toMatchObject({ tally: { republished: 1, deleted: 1, held: 1 } });
  expect([isListed(rig, late), isListed(rig, queued)]).toEqual([false, true]);
  rig.advance(3 * hour);
  expect(rig.receiver.counts().size).toBe(0);
  rig.advance(2_000);
  await rig.emulator.idle();
  expect([...rig.receiver.counts().values()]).toEqual([1]);
});

test("one that is sent with its time is no canary, and goes once its lane is open", async () => {
  // 2 messages and more in half of the watch are all that the limits let through: open after the first step.
  const drain = `\n    lane: { canary: 2, watch: 2s }\n    limits: { publish: 2/s }${atOnce}`;
  const rig = await createRig({ redisUrl: redis.url(), drain });
  const [late] = rig.seed(1, { notBefore: Date.now() + 3 * hour }, 70 * hour);
  await rig.pass();
  expect(rig.callsOf("batch")).toBe(0);
  rig.seed(2);
  await rig.fullPass();
  await rig.emulator.idle();
  expect([rig.receiver.counts().size, isListed(rig, late)]).toEqual([2, true]);
  rig.advance(2_100);
  await runListingChecks(rig.drain.source, new AbortController().signal);
  await rig.fullPass();
  expect([rig.receiver.counts().size, isListed(rig, late)]).toEqual([2, false]);
  rig.advance(4 * hour);
  await rig.emulator.idle();
  expect(rig.receiver.counts().size).toBe(3);
});
