import { expect, it } from "vitest";
import { accountOf } from "../../../support/accounts.ts";
import { withMovableLedger } from "../../../support/pass-with.ts";
import { atOnce, createRig, impatient, oneCursor, takeoverMs, type Rig } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis("own");

const seedFrom = (rig: Rig, at: number, label: string): string[] =>
  rig.emulator.dlq.seed(
    Array.from({ length: 100 }, (_, index) => ({
      dlqId: `${at + index}-0`,
      createdAt: at - 7_000,
      url: `${rig.receiver.url}/hook`,
      responseStatus: 503,
      body: `${label} ${index}`,
    })),
  );

it.each([
  ["earliestFirst", -1_000],
  ["latestFirst", 1_000],
] as const)(
  "a full pass under an offset cursor, %s, does not bury what is published and still in the DLQ, and after its tombstones it is not published again undeclared",
  async (order, toFrontMs) => {
    const rig = await createRig({
      redisUrl: redis.url(),
      drain: atOnce,
      emulator: { cursorBy: "offset", order },
      ...oneCursor,
    });
    rig.emulator.faults.add({ kind: "status", operation: "delete", status: 500, count: 1 });
    const at = Date.now() - 20 * 60_000;
    const ids = seedFrom(rig, at, "first");
    await rig.pass();
    // What is published after a pass's horizon, 5 s behind, it never takes for gone.
    rig.advance(6_100);
    seedFrom(rig, at + toFrontMs, "second");
    await rig.fullPass();
    expect(rig.emulator.dlq.size).toBe(100);
    expect(await rig.drain.source.ledger.summary()).toMatchObject({ pendingDelete: 100 });
    await rig.sweep();
    // The tombstones' life ends, as after 2 full passes + 1 h of a paused drain.
    for (const key of (await rig.core.redis.command(
      "KEYS",
      `${rig.core.settings.redis.keyPrefix}*`,
    )) as string[]) {
      const raw = (await rig.core.redis.command("TYPE", key)) as string;
      if (raw !== "string" || !ids.some((id) => key.endsWith(id))) continue;
      if (String(await rig.core.redis.command("GET", key)).includes('"s":"gone"'))
        await rig.core.redis.command("DEL", key);
    }
    rig.emulator.clock.advance(3 * 3_600_000);
    await rig.fullPass();
    await rig.sweep();
    await rig.emulator.idle();
    expect({ ...accountOf(rig).accepted, declared: rig.eventsOf("double:declared").length }).toEqual({
      once: 200,
      more: 0,
      declared: 0,
    });
  },
  120_000,
);

it("a full pass under an offset cursor takes nothing for gone that it skipped behind a delete without an answer", async () => {
  const rig = await createRig({
    redisUrl: redis.url(),
    drain: atOnce,
    settings: impatient,
    emulator: { cursorBy: "offset", order: "earliestFirst" },
    ...oneCursor,
  });
  rig.emulator.faults.add({ kind: "status", operation: "delete", status: 500, count: 1 });
  const at = Date.now() - 20 * 60_000;
  seedFrom(rig, at, "first");
  await rig.pass();
  // What is published after a pass's horizon, 5 s behind, it never takes for gone.
  rig.advance(6_100);
  const census = await rig.drain.source.book.census();
  seedFrom(rig, at - 1_000, "second");
  rig.emulator.faults.add({ kind: "drop-answer", operation: "delete", when: "after", count: 1 });
  expect(await rig.fullPass()).toMatchObject({ tally: { republished: 100, deleted: 0 } });
  expect(rig.emulator.dlq.size).toBe(100);
  expect(await rig.drain.source.ledger.summary()).toMatchObject({ pendingDelete: 200 });
  // A census of this pass would miss those that it skipped.
  expect(await rig.drain.source.book.census()).toEqual(census);
}, 120_000);

it("nothing is parked however long everything is refused with 400", async () => {
  const rig = await createRig({ redisUrl: redis.url(), drain: atOnce });
  // More than the few that may be alone in the queue.
  rig.seed(60);
  const { pass, wait } = withMovableLedger(rig);
  rig.emulator.faults.add({ kind: "status", operation: "batch", status: 400, error: "no" });
  const parked: number[] = [];
  for (let round = 0; round < 4; round += 1) {
    const result = await pass();
    if (result.kind === "closed") parked.push(result.tally.parked);
    wait(10 * 60_000);
    rig.drain.source.health.resume();
  }
  expect(parked).toEqual([0, 0, 0, 0]);
}, 120_000);

it("an item whose outcome is unknown is told as such", async () => {
  const rig = await createRig({ redisUrl: redis.url() });
  rig.seed(3);
  rig.emulator.faults.add({ kind: "half-failed-group" });
  expect(await rig.pass()).toMatchObject({ tally: { inDoubt: 3 } });
  expect(rig.eventsOf("outcome:unknown").flatMap(({ dlqIds }) => dlqIds)).toHaveLength(3);
}, 120_000);

it("items whose answers cannot be read stay open, and the sweep finds them under the same id: no double", async () => {
  const rig = await createRig({ redisUrl: redis.url(), settings: impatient });
  rig.seed(10);
  for (const [position, answer] of [{}, null, 5, "msg_1", [], { messageId: " " }].entries()) {
    rig.emulator.faults.add({
      kind: "item-error",
      positions: [position],
      answer,
      published: true,
      count: 1,
    });
  }
  expect(await rig.pass()).toMatchObject({ tally: { republished: 4, deleted: 4, inDoubt: 6, parked: 0 } });
  expect(rig.emulator.dlq.size).toBe(6);
  const { ledger } = rig.drain.source;
  expect(await ledger.summary()).toMatchObject({ open: 6 });
  rig.advance(takeoverMs);
  await rig.sweep();
  expect(rig.emulator.dlq.size).toBe(0);
  await rig.emulator.idle();
  expect(accountOf(rig)).toMatchObject({ accepted: { once: 10, more: 0 }, delivered: { once: 10, more: 0 } });
  expect(rig.emulator.journal.counts().deduplicated).toBe(6);
  expect(rig.eventsOf("double:declared")).toEqual([]);
}, 120_000);

it("a blank message id is no proof: what was not published is not deleted", async () => {
  const rig = await createRig({ redisUrl: redis.url() });
  rig.seed(4);
  rig.emulator.faults.add({ kind: "item-error", positions: [1, 3], answer: { messageId: " " } });
  expect(await rig.pass()).toMatchObject({ tally: { republished: 2, deleted: 2, inDoubt: 2 } });
  expect(rig.emulator.dlq.size).toBe(2);
}, 120_000);
