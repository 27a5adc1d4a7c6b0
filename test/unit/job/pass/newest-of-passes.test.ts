import { expect, it } from "vitest";
import type { DrainName, PassId } from "../../../../src/job/contracts/ids.ts";
import { createNewestOfPasses } from "../../../../src/job/pass/newest-of-passes.ts";
import type { FindNewer } from "../../../../src/job/rules/record-facts.ts";

const minuteMs = 60_000;

function setUp() {
  const at = { ms: 0 };
  const newest = createNewestOfPasses({ monotonic: () => at.ms });
  let lists = 0;
  const ask = (
    over: { passId?: string; from?: number; documentHash?: string; isStopping?: () => boolean } = {},
    tookMs = 0,
    error: Error | null = null,
  ) => {
    const { passId = "p", from = 10, documentHash = "h", isStopping = () => false } = over;
    const window = { drain: "d" as DrainName, passId: passId as PassId, documentHash, from, isStopping };
    return newest.of(window, async (): Promise<FindNewer> => {
      lists += 1;
      await Promise.resolve();
      at.ms += tookMs;
      if (error !== null) throw error;
      return () => null;
    });
  };
  return { at, ask, lists: () => lists };
}

it("the windows of a pass share one listing, also while it runs; another pass or document lists anew", async () => {
  const { ask, lists } = setUp();
  await Promise.all([ask(), ask({ from: 20 }), ask()]);
  expect(lists()).toBe(1);
  await ask({ from: 9 });
  expect(lists()).toBe(2);
  await ask({ passId: "q" });
  await ask({ passId: "q", documentHash: "other" });
  expect(lists()).toBe(4);
});

it("is listed anew after a quarter of an hour, or ten times as long as it took", async () => {
  const { at, ask, lists } = setUp();
  await ask({}, minuteMs);
  at.ms += 15 * minuteMs;
  await ask();
  expect(lists()).toBe(1);
  at.ms += 1;
  await ask({}, 3 * minuteMs);
  expect(lists()).toBe(2);
  at.ms += 30 * minuteMs;
  await ask();
  expect(lists()).toBe(2);
});

it("a listing that fails fails its own window; the others list for themselves, unless they stop too", async () => {
  const { ask, lists } = setUp();
  const first = ask({}, 0, new Error("stopped"));
  const other = ask();
  const stopping = ask({ isStopping: () => true });
  await expect(first).rejects.toThrow("stopped");
  await expect(stopping).rejects.toThrow("stopped");
  await other;
  expect(lists()).toBe(2);
  await ask();
  expect(lists()).toBe(2);
});
