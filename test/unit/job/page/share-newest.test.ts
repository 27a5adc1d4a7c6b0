import { expect, it } from "vitest";
import type { DlqId } from "../../../../src/job/message/dead-letter.ts";
import type { DrainName } from "../../../../src/job/contracts/ids.ts";
import { createNewest, shareNewest } from "../../../../src/job/page/newest.ts";
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

it("a listing that fails fails its own window; the others share one of theirs", async () => {
  const { ask, lists } = setUp();
  const first = ask({}, new Error("stopped"));
  const others = [ask(), ask()];
  await expect(first).rejects.toThrow("stopped");
  await Promise.all(others);
  await ask();
  expect(lists()).toBe(2);
});

it("beyond its bound no further value is known, and its letters are counted", () => {
  const { add, find, unknown } = createNewest(2);
  for (const [at, value] of ["a", "b", "c", "a", "c"].entries()) add(`${at}-0` as DlqId, "/id", value);
  const first = "0-0" as DlqId;
  expect(["a", "b", "c", undefined].map((value) => find(first, "/id", value))).toEqual([
    "3-0",
    "1-0",
    null,
    null,
  ]);
  expect(unknown()).toBe(2);
});
