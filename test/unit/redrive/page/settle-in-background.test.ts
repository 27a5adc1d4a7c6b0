import { expect, it } from "vitest";
import { createBackgroundSettle } from "../../../../src/redrive/page/settle-in-background.ts";

it("deletes behind a page are of one page at a time, and each is counted once", async () => {
  const behind = createBackgroundSettle();
  const begun: number[] = [];
  const ends: ((count: number) => void)[] = [];
  const ending = (): Promise<number> => new Promise((resolve) => ends.push(resolve));
  await behind.add(() => {
    begun.push(1);
    return ending();
  });
  const added = behind.add(() => {
    begun.push(2);
    return ending();
  });
  await Promise.resolve();
  expect(begun).toEqual([1]);
  ends[0]?.(30);
  await added;
  expect(begun).toEqual([1, 2]);
  // Taken while the second is under way: it must not be counted with the second again.
  expect(behind.takeDeleted()).toBe(30);
  ends[1]?.(20);
  await behind.ended();
  expect(behind.takeDeleted()).toBe(20);
  expect(behind.takeDeleted()).toBe(0);
});

it("a delete behind a page that fails is met by who waits for it", async () => {
  const behind = createBackgroundSettle();
  expect(behind.hasBegun()).toBe(false);
  await behind.add(() => Promise.reject(new Error("no")));
  expect(behind.hasBegun()).toBe(true);
  await expect(behind.ended()).rejects.toThrow("no");
});
