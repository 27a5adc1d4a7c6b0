import { expect, test } from "vitest";
import type { DlqId } from "../../../../../src/job/message/dead-letter.ts";
import type { Token } from "../../../../../src/job/contracts/ids.ts";
import { createBegunBatches, type BegunBatch } from "../../../../../src/job/store/ledger/begun-batches.ts";

const toBatch = (token: string, ...dlqIds: readonly string[]): BegunBatch => ({
  token: token as Token,
  dlqIds: dlqIds as readonly DlqId[],
});

test("what begins as a later batch does is not forgotten with the former", () => {
  const batches = createBegunBatches();
  const former = toBatch("former", "a", "b");
  batches.add(former);
  const again = toBatch("again", "a", "c");
  batches.add(again);
  batches.forget(former);
  expect(batches.split(again.dlqIds).whole).toEqual([again]);
});

test("the oldest are forgotten, so that those that never go on cost no more memory", () => {
  const batches = createBegunBatches();
  const all = Array.from({ length: 1_000 }, (_, n) => toBatch(`t${n}`, `${n}-0`, `${n}-1`));
  for (const batch of all) batches.add(batch);
  const kept = all.filter(({ dlqIds }) => batches.split(dlqIds).whole.length > 0);
  expect(kept).toEqual(all.slice(-256));
});
