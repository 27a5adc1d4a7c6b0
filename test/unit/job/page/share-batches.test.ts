import { expect, it } from "vitest";
import { createSharedBatches } from "../../../../src/job/page/share-batches.ts";
import { createUnworkableRecords } from "../../../../src/job/page/unworkable-records.ts";
import { dueLetter } from "../../../support/letters.ts";
import { createManualClock } from "../../../support/manual-clock.ts";

const page = { records: [], readAt: 0 };

const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Batches of a drain that is paused: each letter gets its fate without a call. */
function createStand(signal = new AbortController().signal) {
  const clock = createManualClock();
  const source = {
    clock,
    config: { id: "eu" },
    publish: { maxItems: 3, maxBytes: 100_000 },
    health: { standing: () => ({ state: "usable" }) },
    poison: {
      hasRefused: () => false,
      maxBeside: (_id: string, max: number) => max,
      batchSize: (max: number) => max,
    },
    takeBatchTurn: async () => () => undefined,
    pausesOf: async () => [],
    unworkable: createUnworkableRecords(),
  };
  const config = { paused: true, guards: [], limits: {}, rules: [] };
  const shared = createSharedBatches({ config, source } as never, signal);
  const answered: string[] = [];
  const publish = (dlqId: string): void => {
    const batches = shared.join();
    void (async () => {
      for await (const ended of batches.publishTogether([dueLetter({ dlqId })], page, 1)) {
        expect(ended).toMatchObject([{ fate: { kind: "held", decision: { reason: "paused" } } }]);
        answered.push(...ended.map((one) => one.dlqId));
      }
    })();
  };
  const advance = async (ms: number): Promise<void> => {
    await settle();
    clock.advance(ms);
    await settle();
  };
  return { shared, publish, advance, answered };
}

it("a letter waits no longer because others come after it", async () => {
  const { shared, publish, advance, answered } = createStand();
  shared.join();
  publish("a");
  await advance(60);
  publish("b");
  await advance(39);
  expect(answered).toEqual([]);
  await advance(1);
  expect(answered).toEqual(["a", "b"]);
  publish("c");
  await advance(99);
  expect(answered).toEqual(["a", "b"]);
  await advance(1);
  expect(answered).toEqual(["a", "b", "c"]);
});

it("a full batch does not wait", async () => {
  const { shared, publish, advance, answered } = createStand();
  shared.join();
  for (const id of ["a", "b", "c"]) publish(id);
  await advance(0);
  expect(answered.toSorted()).toEqual(["a", "b", "c"]);
});

it("a stop ends the wait", async () => {
  const stop = new AbortController();
  const { shared, publish, advance, answered } = createStand(stop.signal);
  shared.join();
  publish("a");
  await advance(0);
  stop.abort();
  await advance(0);
  expect(answered).toEqual(["a"]);
});

it("what waits for other pages goes once none of them may come any more", async () => {
  const { shared, publish, advance, answered } = createStand();
  const others = [shared.join(), shared.join()];
  publish("a");
  others[0]!.leave();
  await advance(0);
  expect(answered).toEqual([]);
  others[1]!.leave();
  await advance(0);
  expect(answered).toEqual(["a"]);
});
