import { expect, test } from "vitest";
import type { DlqId } from "../../../../../src/job/message/dead-letter.ts";
import type { Token } from "../../../../../src/job/contracts/ids.ts";
import { createBegunBatches, type BegunBatch } from "../../../../../src/job/store/ledger/begun-batches.ts";

const toBatch = (token: string, ...dlqIds: readonly string[]): BegunBatch => ({
  token: token as Token,
  dlqIds: dlqIds as readonly DlqId[],
});
const [ab, cd] = [toBatch("ab", "a", "b"), toBatch("cd", "c", "d")];

test("ids are split into whole batches, in the order of each, and the rest", () => {
  const batches = createBegunBatches();
  batches.add(ab);
  batches.add(cd);
  const split = (...ids: readonly string[]) => batches.split(ids as readonly DlqId[]);
  expect(split()).toEqual({ whole: [], rest: [] });
  expect(split("c", "d", "a", "b")).toEqual({ whole: [cd, ab], rest: [] });
  expect(split("x", "a", "b", "b", "a", "c")).toEqual({ whole: [ab], rest: ["x", "b", "a", "c"] });
  batches.forget(ab);
  expect(split("a", "b", "c", "d")).toEqual({ whole: [cd], rest: ["a", "b"] });
});

test("what begins as a later batch does is not forgotten with the former", () => {
  const batches = createBegunBatches();
  batches.add(ab);
  const again = toBatch("again", "a", "c");
  batches.add(again);
  batches.forget(ab);
  expect(batches.split(again.dlqIds).whole).toEqual([again]);
});

test("the oldest are forgotten, so that those that never go on cost no more memory", () => {
  const batches = createBegunBatches();
  const all = Array.from({ length: 1_000 }, (_, n) => toBatch(`t${n}`, `${n}-0`, `${n}-1`));
  for (const batch of all) batches.add(batch);
  const kept = all.filter(({ dlqIds }) => batches.split(dlqIds).whole.length > 0);
  expect(kept).toEqual(all.slice(-256));
});
