/** What looking for dead letters costs in a deep queue, and what it proves there. */
import { expect, it } from "vitest";
import type { DlqId, MessageId } from "../../../../src/job/message/dead-letter.ts";
import { findAll, lookBudget } from "../../../support/findings.ts";
import { createRig, hourMs } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();

/** So many records, a second apart, none of them ours to act on. */
async function deepQueue(count: number, order: "earliestFirst" | "latestFirst") {
  const rig = await createRig({ redisUrl: redis.url(), emulator: { order } });
  const from = Date.now() - 3 * hourMs;
  const ids = rig.emulator.dlq.seed(
    Array.from({ length: count }, (_, n) => ({
      dlqId: `${from + n * 1_000}-${n}`,
      createdAt: from - hourMs,
      messageId: `msg_${n}`,
      url: `${rig.receiver.url}/hook`,
    })),
  ) as DlqId[];
  await rig.drain.source.book.learnDates("entered");
  return {
    rig,
    ids,
    /** As the ledger knows them. */
    wanted: (indexes: readonly number[]) =>
      indexes.map((n) => ({ dlqId: ids[n]!, messageId: `msg_${n}` as MessageId })),
    lists: () => rig.callsOf("list"),
  };
}

const every = (step: number, from: number, to: number): number[] =>
  Array.from({ length: Math.ceil((to - from) / step) }, (_, n) => from + n * step);

it.each(["earliestFirst", "latestFirst"] as const)(
  "what is gone from between records that stay is proven within the pages that they fill: %s",
  async (order) => {
    const queue = await deepQueue(2_000, order);
    const gone = every(20, 0, 2_000);
    queue.rig.emulator.dlq.remove(gone.map((n) => queue.ids[n]!));
    const { absent, records } = await findAll(queue.rig.drain.source, queue.wanted(gone));
    expect(records).toEqual([]);
    expect(new Set(absent)).toEqual(new Set(gone.map((n) => queue.ids[n])));
    // 1,900 records are 19 pages; the first page shows how dense they lie, and each part ends with a page
    // that is not full.
    expect(queue.lists()).toBeLessThanOrEqual(26);
  },
);

it("what lies far apart in a deep queue is looked for where it lies", async () => {
  const queue = await deepQueue(3_000, "earliestFirst");
  const gone = [10, 11, 12, 1_500, 1_501, 2_900];
  queue.rig.emulator.dlq.remove(gone.slice(0, 5).map((n) => queue.ids[n]!));
  const { absent, records } = await findAll(queue.rig.drain.source, queue.wanted(gone));
  expect(new Set(absent)).toEqual(new Set(gone.slice(0, 5).map((n) => queue.ids[n])));
  expect(records.map(({ dlqId }) => dlqId)).toEqual([queue.ids[2_900]]);
  expect(queue.lists()).toBe(3);
});

it("a listing that does not come to its end proves nothing of what it did not show", async () => {
  const queue = await deepQueue(500, "earliestFirst");
  const source = queue.rig.drain.source;
  const { absent, records } = await findAll(source, queue.wanted(every(20, 0, 500)), lookBudget(source, 1));
  expect(queue.lists()).toBe(1);
  expect(records).toHaveLength(5);
  expect(absent).toEqual([]);
});

it("no more calls are made than the budget has, and what is proven by then is told", async () => {
  const queue = await deepQueue(500, "earliestFirst");
  const gone = [0, 100, 200, 300, 400];
  queue.rig.emulator.dlq.remove(gone.map((n) => queue.ids[n]!));
  const source = queue.rig.drain.source;
  const { absent } = await findAll(source, queue.wanted(gone), lookBudget(source, 3));
  expect(queue.lists()).toBe(3);
  expect(absent).toHaveLength(3);
});
