import { expect, it } from "vitest";
import type { DrainName } from "../../../../src/job/contracts/ids.ts";
import { shareNewest } from "../../../../src/job/page/newest.ts";
import type { FindNewer } from "../../../../src/job/rules/record-facts.ts";
import type { NewestOfPass } from "../../../../src/job/runtime.ts";

function setUp() {
  const known = new Map<DrainName, NewestOfPass>();
  let lists = 0;
  const ask = ({ pass = "p", from = 10 }: { pass?: string; from?: number } = {}, error?: Error) =>
    shareNewest(known, "d" as DrainName, { pass, from }, async (): Promise<FindNewer> => {
      lists += 1;
      await Promise.resolve();
      if (error !== undefined) throw error;
      return () => null;
    });
  return { ask, lists: () => lists };
}

it("the windows of a pass share one listing, also while it runs; another pass lists anew", async () => {
  const { ask, lists } = setUp();
  await Promise.all([ask(), ask({ from: 20 }), ask()]);
  expect(lists()).toBe(1);
  await ask({ from: 9 });
  expect(lists()).toBe(2);
  await ask({ pass: "q" });
  expect(lists()).toBe(3);
});

it("a listing that fails fails its own window; the others share one of theirs", async () => {
  const { ask, lists } = setUp();
  const first = ask({}, new Error("stopped"));
  const others = [ask(), ask()];
  await expect(first).rejects.toThrow("stopped");
  await Promise.all(others);
  await ask();
  expect(lists()).toBe(2);
});
