import { expect, test } from "vitest";
import { watchPause } from "../../../../src/people/plan/watch-pause-during-apply.ts";
import { createManualClock } from "../../../support/manual-clock.ts";

test("a pause is noticed although it is over again; that nobody could be asked is none", async () => {
  const clock = createManualClock();
  const answers = [
    () => Promise.resolve(null),
    () => Promise.reject(new Error("away")),
    () => Promise.resolve("by eve"),
  ];
  const watch = watchPause(clock, () => (answers.shift() ?? (() => Promise.resolve(null)))());
  for (let looks = 0; looks < 4; looks += 1) {
    expect(watch.why()).toBe(looks < 3 ? null : "by eve");
    expect(watch.signal.aborted).toBe(looks === 3);
    clock.advance(1_000);
    await new Promise(setImmediate);
  }
  expect(answers).toEqual([]);
  expect(clock.pending()).toBe(0);
});
