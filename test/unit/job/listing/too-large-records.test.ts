import { describe, expect, test } from "vitest";
import { RedriverError } from "../../../../src/job/contracts/errors.ts";
import type { ListPage, ListQuery } from "../../../../src/job/contracts/service.ts";
import { createPageSize, listWithinMemory } from "../../../../src/job/listing/list-page.ts";
import {
  createTooLargeDates,
  cutAround,
  findTooLarge,
  type DateRange,
} from "../../../../src/job/listing/too-large-records.ts";
import { amplePageMemory } from "../../../support/ample-memory.ts";
import { createManualClock } from "../../../support/manual-clock.ts";

const dayMs = 86_400_000;
const now = 1_700_000_000_000;
const retentionMs = 3 * dayMs;

/**
 * A service of records of one size, of which so many fit into an answer; `counts` is what it was asked for.
 */
function createService(fits: (asked: number) => number) {
  const counts: number[] = [];
  const list = ({ count }: ListQuery): Promise<ListPage> => {
    counts.push(count);
    if (count <= fits(counts.length)) return Promise.resolve({ records: [] });
    return Promise.reject(new RedriverError("answer-too-large", "more"));
  };
  return { list, counts };
}

const memory = amplePageMemory();
const room = { memory, waitSignal: () => new AbortController().signal };
const sevens = (count: number): number[] => Array.from({ length: count }, () => 7);

test("pages of a listing are made larger again after eight that fitted, and fail where a single record is too large", async () => {
  const { list, counts } = createService((asked) => (asked < 20 ? 7 : 100));
  const size = createPageSize();
  for (let page = 0; page < 25; page += 1) {
    (await listWithinMemory(list, { select: {} }, size, room)).release();
  }
  expect(counts.slice(0, 20)).toEqual([100, 25, ...sevens(8), 28, ...sevens(8), 28]);
  expect(counts.at(-1)).toBe(100);
  const nothing = createService(() => 0);
  await expect(listWithinMemory(nothing.list, { select: {} }, createPageSize(1), room)).rejects.toMatchObject(
    { code: "answer-too-large" },
  );
  expect(nothing.counts).toEqual([1]);
});

test.each<[DateRange, number[], DateRange[]]>([
  [{}, [], [{}]],
  [{}, [5], [{ toDate: 4 }, { fromDate: 5, toDate: 5 }, { fromDate: 6 }]],
  [{ fromDate: 5, toDate: 5 }, [5], [{ fromDate: 5, toDate: 5 }]],
  [
    { fromDate: 5, toDate: 9 },
    [5, 6, 9],
    [
      { fromDate: 5, toDate: 5 },
      { fromDate: 6, toDate: 6 },
      { fromDate: 7, toDate: 8 },
      { fromDate: 9, toDate: 9 },
    ],
  ],
])("a range that is cut around moments %j at %j", (range, moments, parts) => {
  expect(cutAround(range, moments)).toEqual(parts);
});

test("the moments that are remembered are those of a range, in order, for an hour after they were last met", () => {
  const clock = createManualClock();
  const dates = createTooLargeDates(clock);
  dates.note(30);
  clock.advance(1_800_000);
  for (const at of [20, 10]) dates.note(at);
  expect(dates.within({})).toEqual([10, 20, 30]);
  expect(dates.within({ fromDate: 20, toDate: 29 })).toEqual([20]);
  clock.advance(1_800_000);
  expect(dates.within({})).toEqual([10, 20]);
  dates.note(20);
  clock.advance(1_800_000);
  expect(dates.within({})).toEqual([20]);
});

describe("the search for a record that is too large", () => {
  interface Placed {
    readonly date: number;
    readonly isLarge?: true;
  }
  const large = { date: now - dayMs + 123_457, isLarge: true } as const;
  const others = Array.from({ length: 500 }, (_, index): Placed => ({
    date: now - dayMs + (index - 120) * 1_000,
  }));

  /** A service that lists these in this order. */
  async function search(listed: readonly Placed[], range: DateRange, behind: number | null) {
    let [calls, blocked] = [0, 0];
    const at = await findTooLarge({
      range,
      behind,
      now,
      retentionMs,
      isBlocked: ({ fromDate = 0, toDate = Infinity }) => {
        calls += 1;
        const first = listed.find(({ date }) => date >= fromDate && date <= toDate);
        if (first?.isLarge === true) blocked += 1;
        return Promise.resolve(first?.isLarge === true);
      },
    });
    return { at, calls, blocked };
  }
  const ascending = [...others, large].toSorted((one, other) => one.date - other.date);
  const descending = ascending.toReversed();
  const before = (listed: readonly Placed[]): number => listed[listed.indexOf(large) - 1]!.date;

  test.each<[string, readonly Placed[], number | null, number]>([
    ["behind others, oldest first", ascending, before(ascending), 12],
    ["behind others, newest first", descending, before(descending), 12],
    ["as the first of a listing", [large, ...others], null, 30],
    ["as the only one", [large], null, 30],
  ])("finds it %s, in some thirty calls", async (_name, listed, behind, mostBlocked) => {
    for (const range of [{}, { toDate: now }, { fromDate: now - 3 * dayMs, toDate: now }]) {
      const found = await search(listed, range, behind);
      expect(found.at).toBe(large.date);
      expect(found.calls).toBeLessThanOrEqual(33);
      expect(found.blocked).toBeLessThanOrEqual(mostBlocked);
    }
  });

  test("finds one that is older than anything should be", async () => {
    const ancient = { date: 1_000_000, isLarge: true } as const;
    expect((await search([ancient], {}, null)).at).toBe(ancient.date);
  });

  test("takes it to be in the millisecond of the record before it where it is the first of no part", async () => {
    const twin = { date: large.date };
    const found = await search([twin, large], { toDate: now }, twin.date);
    expect(found).toMatchObject({ at: large.date, calls: 2 });
  });

  test("answers a moment within the range where dates say nothing of the order", async () => {
    const { at, calls } = await search([...others, large], { fromDate: 10, toDate: 20 }, 7);
    expect({ at, calls }).toEqual({ at: 15, calls: 0 });
  });
});
