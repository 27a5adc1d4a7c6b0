import { expect, it } from "vitest";
import type { DlqId } from "../../../../../src/job/message/dead-letter.ts";
import { createPoisonShare } from "../../../../../src/job/page/publish/batch-size-under-poison.ts";
import { createManualClock } from "../../../../support/manual-clock.ts";

const minuteMs = 60_000;

it.each([
  [10_000, 100, 2],
  [10_000, 10, 20],
  [10_000, 1, 100],
  [100, 100, 2],
  [0, 1, 2],
])("of %i messages with %i poison, %i share a batch", (posted, poison, size) => {
  const share = createPoisonShare(createManualClock());
  share.posted(posted);
  for (let one = 0; one < poison; one += 1) share.found();
  expect(share.batchSize(100)).toBe(size);
});

it("forgets poison that nobody has met for ten minutes", () => {
  const clock = createManualClock();
  const share = createPoisonShare(clock);
  share.posted(100);
  share.found();
  clock.advance(6 * minuteMs);
  expect(share.batchSize(100)).toBe(2);
  clock.advance(5 * minuteMs);
  expect(share.batchSize(100)).toBe(100);
});

it("remembers how many were refused together, and lets half as many share the next batch", () => {
  const share = createPoisonShare(createManualClock());
  const ids = Array.from({ length: 50 }, (_, n) => `${n}-0` as DlqId);
  expect(share.maxBeside(ids[0]!, 100)).toBe(100);
  share.refusedTogether(ids);
  expect(share.maxBeside(ids[0]!, 100)).toBe(25);
  share.refusedTogether(ids.slice(0, 3));
  expect(share.maxBeside(ids[0]!, 100)).toBe(2);
  expect(share.maxBeside(ids[9]!, 100)).toBe(25);
  share.refusedTogether(ids.slice(0, 1));
  expect(share.maxBeside(ids[0]!, 100)).toBe(1);
});
