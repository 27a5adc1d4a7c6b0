import { expect, it } from "vitest";
import { createSharedBatches } from "../../../../src/job/page/fill-batches.ts";
import type { Candidate } from "../../../../src/job/page/records.ts";
import { createManualClock } from "../../../support/manual-clock.ts";

const page = { readAt: 0, candidates: 1, grantsEndAt: Infinity };

const candidate = (dlqId: string): Candidate =>
  ({
    bytes: 10,
    sendAs: null,
    view: { state: "absent" },
    letter: { dlqId },
    decision: { rule: null },
  }) as never;

const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Batches of a drain that is paused: each candidate gets its result without a call. */
function createStand(signal = new AbortController().signal) {
  const clock = createManualClock();
  const source = {
    clock,
    publish: { maxItems: 3, maxBytes: 1_000 },
    health: { standing: () => ({ state: "usable" }) },
    poison: { maxBeside: (_id: string, max: number) => max, batchSize: (max: number) => max },
    takeBatchTurn: async () => () => undefined,
  };
  const shared = createSharedBatches({ config: { paused: true }, source } as never, signal);
  const answered: string[] = [];
  const publish = (dlqId: string): void => {
    const batches = shared.join();
    void (async () => {
      for await (const results of batches.publish([candidate(dlqId)], page)) {
        answered.push(...results.map((result) => result.candidate.letter.dlqId));
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

it("a candidate waits no longer because others come after it", async () => {
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
  expect(answered).toEqual(["a", "b", "c"]);
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
