import { describe, expect, test } from "vitest";
import { createProcessMemory, toBudget } from "../../../../src/job/compose/memory-budget.ts";
import { RedriverError } from "../../../../src/job/contracts/errors.ts";
import type { ListPage, ListQuery } from "../../../../src/job/contracts/service.ts";
import { createPageSize, listWithinMemory, type PageSize } from "../../../../src/job/listing/list-page.ts";
import { createByteBudget } from "../../../../src/job/listing/byte-budget.ts";
import {
  createPageMemory,
  noRoom,
  readingFactor,
  workingFactor,
} from "../../../../src/job/listing/limit-page-memory.ts";
import { settingsOf } from "../../../support/loaded-document.ts";

const kib = 1_024;
const mib = 1_048_576;
const waitSignal = () => new AbortController().signal;

/** Lists records of these sizes in order, and reads no answer that is longer than it may be. */
function createStand(sizes: readonly number[], { shareBytes = 4 * mib, maxAnswerBytes = 24 * mib } = {}) {
  const budget = createByteBudget(4 * shareBytes * readingFactor);
  const collected: number[] = [];
  const collectGarbage = (): void => void collected.push(budget.used());
  const memory = createPageMemory({ budget, shares: 4, maxAnswerBytes, collectGarbage });
  const asked: ListQuery[] = [];
  let at = 0;
  const list = (query: ListQuery): Promise<ListPage> => {
    asked.push(query);
    const page = sizes.slice(at, at + query.count);
    const bytes = page.reduce((sum, size) => sum + size, 0);
    if (bytes > Math.min(query.maxBytes ?? Infinity, maxAnswerBytes)) {
      return Promise.reject(new RedriverError("answer-too-large", "more"));
    }
    at += page.length;
    return Promise.resolve({ records: page.map((size) => ({ size })), bytes });
  };
  const next = (size: PageSize) => listWithinMemory(list, { select: {} }, size, { memory, waitSignal });
  const listAll = async (): Promise<number> => {
    const size = createPageSize();
    let pages = 0;
    for (; at < sizes.length; pages += 1) (await next(size)).release();
    return pages;
  };
  return { budget, memory, asked, collected, next, listAll };
}

const alike = (count: number, bytes: number): number[] => Array.from({ length: count }, () => bytes);

describe("the memory of a page", () => {
  test("is its answer's while it is worked on, and nobody's after that", async () => {
    const { budget, next } = createStand(alike(200, 2 * kib));
    const page = await next(createPageSize());
    expect(page.records).toHaveLength(100);
    expect(budget.used()).toBe(100 * 2 * kib * workingFactor);
    page.release();
    page.release();
    expect(budget.used()).toBe(0);
  });

  test("a source that does not answer holds none of it", async () => {
    const { budget, memory } = createStand([]);
    let begin: (() => void) | undefined;
    const silent = (query: ListQuery): Promise<ListPage> =>
      new Promise((resolve) => {
        begin = () =>
          resolve({ records: query.mayRead?.(undefined) === true ? [{ dlqId: "1-0" }] : [], bytes: kib });
      });
    const listing = listWithinMemory(silent, { select: {} }, createPageSize(), { memory, waitSignal });
    await new Promise((resolve) => setImmediate(resolve));
    expect(budget.used()).toBe(0);
    begin?.();
    expect((await listing).records).toHaveLength(1);
    expect(budget.used()).toBe(kib * workingFactor);
  });

  test("an answer that begins while there is no room is given up, and the page is asked for again when there is", async () => {
    const { budget, memory } = createStand([]);
    const other = budget.tryAcquire(budget.total);
    let calls = 0;
    const list = async (query: ListQuery): Promise<ListPage> => {
      calls += 1;
      if (query.mayRead?.(undefined) !== true) throw new RedriverError("answer-too-large", "not now");
      return { records: [{ dlqId: "1-0" }], bytes: kib };
    };
    const listing = listWithinMemory(list, { select: {} }, createPageSize(), { memory, waitSignal });
    await new Promise((resolve) => setImmediate(resolve));
    expect(calls).toBe(1);
    other?.release();
    expect(await listing).toMatchObject({ asked: 100, records: [{ dlqId: "1-0" }] });
    expect(calls).toBe(2);
  });

  test("no page is read beyond its share once the size of records is known, and none in vain", async () => {
    const { asked, listAll, memory } = createStand(alike(400, 200 * kib));
    await listAll();
    const inVain = asked.filter(({ count }) => count * 200 * kib > 4 * mib);
    // Only the first one: nothing was known.
    expect(inVain.map(({ count }) => count)).toEqual([100, 25]);
    expect(memory.maxRecords()).toBe(15);
    expect(asked.every(({ maxBytes = Infinity }) => maxBytes <= 4 * mib)).toBe(true);
    // Another listing of the same source knows it from the start.
    expect(memory.usualBytes(15)).toBe(4 * mib);
  });

  test("one record above its share goes alone, with as much as may be read, and the next page is as large as before", async () => {
    const { asked, listAll } = createStand([...alike(150, 2 * kib), 10 * mib, ...alike(249, 2 * kib)]);
    await listAll();
    expect(asked.filter(({ maxBytes = 0 }) => maxBytes > 4 * mib).map(({ count }) => count)).toEqual([1]);
    // The large one counts among 400 records at most, so pages hardly shrink for it.
    expect(asked.at(-1)?.count).toBeGreaterThan(75);
    expect(asked.length).toBeLessThan(30);
  });

  test("records above the budget go one by one", async () => {
    const { asked, collected, listAll, budget } = createStand(alike(5, 10 * mib), { shareBytes: 256 * kib });
    expect(await listAll()).toBe(5);
    // Behind each answer, and before each but the first.
    expect(collected).toHaveLength(9);
    expect(asked.slice(-4).every(({ count }) => count === 1)).toBe(true);
    expect(budget.used()).toBe(0);
  });

  test("what fails gives its memory back", async () => {
    const { budget, next } = createStand(alike(1, 30 * mib));
    await expect(next(createPageSize())).rejects.toMatchObject({ code: "answer-too-large" });
    expect(budget.used()).toBe(0);
  });

  test("who holds a page does not wait for another", async () => {
    const { memory, listAll } = createStand(alike(1, 2 * kib));
    await listAll();
    const leases = await Promise.all(
      Array.from({ length: 4 }, () => memory.takeTurn(() => 2_048, waitSignal)),
    );
    await expect(memory.takeTurn(() => 1, null)).rejects.toBe(noRoom);
    for (const { release } of leases) release();
    (await memory.takeTurn(() => 1, null)).release();
  });

  test.each([
    ["32 small pages are in memory at once", 1_536, 32],
    ["more than fit wait their turn", 20 * kib, 10],
  ])("%s, and no answer comes in vain", async (_, recordBytes, inMemory) => {
    const budget = createByteBudget(128 * mib);
    const memory = createPageMemory({
      budget,
      shares: 6,
      maxAnswerBytes: 24 * mib,
      collectGarbage: () => undefined,
    });
    let calls = 0;
    const list = async (query: ListQuery): Promise<ListPage> => {
      calls += 1;
      const bytes = query.count * recordBytes;
      // Answers begin in turns of their own.
      await new Promise((resolve) => setImmediate(resolve));
      if (query.mayRead?.(bytes) !== true) throw new RedriverError("answer-too-large", "not now");
      return { records: alike(query.count, recordBytes).map((size) => ({ size })), bytes };
    };
    let pages = 0;
    let held = 0;
    let most = 0;
    const listAndWork = async (): Promise<void> => {
      for (let page = 0; page < 5; page += 1) {
        const { release } = await listWithinMemory(list, { select: {} }, createPageSize(), {
          memory,
          waitSignal,
        });
        pages += 1;
        held += 1;
        most = Math.max(most, held);
        for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
        held -= 1;
        release();
      }
    };
    await Promise.all(Array.from({ length: 32 }, listAndWork));
    expect([pages, calls]).toEqual([160, 160]);
    expect(most).toBeGreaterThanOrEqual(inMemory);
    expect(budget.used()).toBe(0);
  });
});

test.each([
  ["the shipped container", 768, 384, 128],
  // 85 % of the limit, less 270 MiB, of which a command beside it has a fifth.
  ["a smaller one", 384, 192, 45],
  // From 512 MiB on, the daemon itself is given 70 MiB more.
  ["one of 512 MiB", 512, 256, 44],
  ["a large one, where V8's heap is the limit", 4_096, 160, 100],
  ["a machine without limits", 65_536, 4_096, 128],
  ["a container that is too small for any", 256, 192, 16],
])("the budget of a process in %s", (_, limitMiB, heapMiB, budgetMiB) => {
  const budget = toBudget(limitMiB * mib, heapMiB * mib);
  expect(Math.floor(budget / mib)).toBe(budgetMiB);
});

test("commands that one process answers share a budget, and the daemon has its own", () => {
  const [one, other, daemon] = (["command", "command", "daemon"] as const).map(
    (role) => createProcessMemory(settingsOf({}), 1, role).budget,
  );
  expect(one).toBe(other);
  expect(daemon).not.toBe(one);
});
