import { describe, expect, test } from "vitest";
import type { ListPage } from "../../../../src/job/contracts/service.ts";
import { followCursor } from "../../../../src/job/listing/list-to-end.ts";
import {
  createCursorLoopCheck,
  createListingDeadline,
} from "../../../../src/job/listing/detect-endless-listing.ts";
import { createManualClock } from "../../../support/manual-clock.ts";

const page = (cursor: string | undefined, ...ids: readonly (string | undefined)[]): ListPage => ({
  records: ids.map((dlqId) => (dlqId === undefined ? {} : { dlqId })),
  ...(cursor === undefined ? {} : { cursor }),
});

function createWatch() {
  const check = createCursorLoopCheck();
  return (listed: ListPage, spentMs?: number) => check(listed, spentMs).whyNoMore;
}

const largePageAt = (n: number): ListPage =>
  page(`cursor ${n}`, ...Array.from({ length: 100 }, (_, index) => `${n % 1_100}-${index}`));
const oddPageAt = (n: number): ListPage => page(`cursor ${n}`, n % 5 === 0 ? `${n}-0` : "constructor");

test.each<[string, (n: number) => ListPage, number | undefined]>([
  [
    "where its pages come back, whatever their cursors are called",
    (n) => page(`cursor ${n}`, `${n % 2}-0`, `${n % 2}-9`),
    2 + 5,
  ],
  ["where empty pages have cursors that were there", (n) => page(`${n % 3}`), 3 + 5],
  ["where pages without ids have cursors that were there", (n) => page(`${n % 3}`, undefined), 3 + 5],
  ["where it loops over more records than are remembered", largePageAt, 1_100 + 5],
  ["not where small pages hold records of one odd id, with others between them", oddPageAt, undefined],
])("a listing goes in circles %s", (_, pageAt, foundAt) => {
  const watch = createWatch();
  const pages = Array.from({ length: foundAt ?? 1_000 }, (_page, index) => watch(pageAt(index + 1)));
  expect(pages.findIndex((why) => why !== null)).toBe(foundAt === undefined ? -1 : foundAt - 1);
  expect(pages.at(-1)?.message ?? "never").toMatch(foundAt === undefined ? "never" : "repeats its pages");
});

describe("a listing goes in circles", () => {
  test("where ever more pages are empty under ever new cursors, but not before 100,000 records could have been filtered", () => {
    const watch = createWatch();
    for (let n = 1; n <= 1_000; n += 1) watch(page(`empty ${n}`));
    expect(watch(page("one more"))?.message).toMatch(/1001 pages without either/);
  });

  test("where a hundred pages without anything new have taken five minutes", () => {
    const watch = createWatch();
    for (let n = 1; n <= 100; n += 1) watch(page(`empty ${n}`), n * 3_001);
    expect(watch(page("one more"), 303_101)?.message).toMatch(/101 pages without either/);
  });

  test("where it lists the same records in ever other orders, and not where some of them are new", () => {
    const watch = createWatch();
    const repeats = (from: number, to: number): string | undefined => {
      // Two pages begin and end alike after 40 × 43 of them.
      for (let n = from; n <= to; n += 1) {
        const why = watch(page(`cursor ${n}`, `${n % 40}-0`, `${n % 41}-0`, `${n % 43}-0`));
        if (why !== null) return why.message;
      }
      return undefined;
    };
    watch(page("start", "start-0", ...Array.from({ length: 43 }, (_, id) => `${id}-0`)));
    expect(repeats(1, 600)).toBeUndefined();
    watch(page("new", "new-0", "1-0"));
    expect(repeats(601, 1_200)).toBeUndefined();
    expect(repeats(1_201, 1_300)).toMatch(/2001 in a row were listed before/);
  });

  test("not where its cursor stays the same while it moves on, and not on its last page", () => {
    const watch = createWatch();
    expect(watch(page("same", "1-0"))).toBeNull();
    expect(watch(page("same", "2-0"))).toBeNull();
    expect(watch(page(undefined, "1-0"))).toBeNull();
  });
});

/** Pages of a service that makes up a record for each; the worker takes an hour for each of them. */
async function listAll(pageMs: number, pages = Infinity): Promise<{ listed: number; failure: unknown }> {
  const clock = createManualClock();
  let listed = 0;
  const list = async (): Promise<ListPage> => {
    clock.advance(pageMs);
    listed += 1;
    return { records: [{ dlqId: `${listed}-0` }], ...(listed < pages ? { cursor: `page ${listed}` } : {}) };
  };
  try {
    for await (const _page of followCursor(list, createListingDeadline(clock, 1_800_000)))
      clock.advance(3_600_000);
    return { listed, failure: null };
  } catch (failure) {
    return { listed, failure };
  }
}

test("a listing goes on behind an empty page as long as it has a cursor", async () => {
  const pages = [page("a", "1-0"), page("b"), page(undefined, "2-0")];
  const listed: number[] = [];
  for await (const { records } of followCursor(() => Promise.resolve(pages.shift()!))) {
    listed.push(records.length);
  }
  expect(listed).toEqual([1, 0, 1]);
});

test("a listing of records that are ever new ends when it has waited for half an hour", async () => {
  const { listed, failure } = await listAll(50);
  expect(failure).toMatchObject({
    code: "listing-endless",
    message: expect.stringContaining("within 30 min") as string,
  });
  expect(listed).toBe(36_001);
});

test("a listing of up to 100,000 records comes to its end however slow it is", async () => {
  expect(await listAll(60_000, 1_000)).toEqual({ listed: 1_000, failure: null });
  expect((await listAll(60_000)).listed).toBe(1_000);
});

test.each([
  ["in the order of ids", ["1-0", "2-0"], ["2-0", "3-0"], ["4-0"], ["1-0"]],
  ["against it", ["9-0", "8-0"], ["8-0", "7-0"], ["6-0"], ["9-0"]],
  ["in no order", ["5-0", "9-0", "1-0"], ["9-0", "3-0"], ["4-0", "constructor"], ["3-0"]],
])("what pages before had is told, where records are listed %s", (_, ...lists) => {
  const check = createCursorLoopCheck();
  const again = lists.map((ids, at) => [...check(page(at === 3 ? undefined : `${at}`, ...ids)).again]);
  expect(again).toEqual([[], lists[1].slice(0, 1), [], lists[3]]);
});

test("a record that a page has twice is no record of a page before", () => {
  const check = createCursorLoopCheck();
  expect(check(page("a", "1-0", "1-0", undefined)).again.size).toBe(0);
  expect([...check(page("b", "2-0", "1-0")).again]).toEqual(["1-0"]);
});
