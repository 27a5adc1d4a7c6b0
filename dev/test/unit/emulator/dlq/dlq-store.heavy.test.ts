import { describe, expect, test } from "vitest";
import type { StoredDeadLetter } from "../../../../emulator/dlq/stored-dead-letter.ts";
import { type DlqQuery, type Filter, type FilterField } from "../../../../emulator/dlq/dlq-query.ts";
import { DlqStore, type StoreOptions } from "../../../../emulator/dlq/dlq-store.ts";
import {
  comparePositions,
  formatDlqId,
  type Position,
} from "../../../../emulator/dlq/dlq-ids-and-cursors.ts";
import { seededRandom } from "../../../../emulator/seeded-random.ts";

type Place = Position & { readonly record: StoredDeadLetter };

const everything: DlqQuery = {
  after: undefined,
  skip: undefined,
  dlqIds: undefined,
  count: 100,
  fromDate: undefined,
  toDate: undefined,
  filters: [],
};

const earliest: StoreOptions = { dateFilter: "entered", order: "earliestFirst" };

const filtersOf = (wanted: Partial<Record<FilterField, readonly string[]>>): Filter[] =>
  (Object.entries(wanted) as [FilterField, readonly string[]][]).map(([field, values]) => ({
    field,
    values: new Set(values),
  }));

function insert(store: DlqStore, places: readonly Place[]): void {
  for (const place of places) store.append(place, place.record);
}

/** Ids of all pages of a query. */
function idsOf(store: DlqStore, query: Partial<DlqQuery> = {}): string[] {
  const ids: string[] = [];
  let after: Position | undefined;
  for (;;) {
    const { records, more } = store.page({ ...everything, ...query, after });
    ids.push(...records.map((each) => formatDlqId(each)));
    after = records.at(-1);
    if (!more) return ids;
  }
}

/** Records whose values repeat, each with a place of its own, in a shuffled order. */
function shuffledPlaces(count: number, random: () => number): Place[] {
  const some = (values: readonly (string | undefined)[]): string | undefined =>
    values[Math.floor(random() * values.length)];
  const places = Array.from({ length: count }, (_, n) => ({
    ms: 1_000 + (n >> 2),
    seq: n & 3,
    record: {
      messageId: `m${n}`,
      url: `http://127.0.0.1/${Math.floor(random() * 500)}`,
      queueName: some(["a", "b", undefined]),
      topicName: some(["g", undefined]),
      responseStatus: some(["", "x"]) === "" ? 500 : undefined,
      labels: [some(["one", "two"])!, some(["three", "four", "five"])!].slice(0, Math.floor(random() * 3)),
      createdAt: Math.floor(random() * 1_000),
      padding: "x".repeat(Math.floor(random() * 600)),
    },
  }));
  return places
    .map((place) => ({ place, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ place }) => place);
}

/** What a store should answer, said as simply as it can be. */
function expectedIds(places: readonly Place[], options: StoreOptions, query: Partial<DlqQuery>): string[] {
  const { fromDate = -Infinity, toDate = Infinity, filters = [] } = query;
  const fits = ({ ms, record }: Place): boolean => {
    const date = options.dateFilter === "entered" ? ms : (record["createdAt"] as number);
    return (
      date >= fromDate &&
      date <= toDate &&
      filters.every(({ field, values }) => {
        if (field === "label") return (record["labels"] as string[]).some((label) => values.has(label));
        if (field === "responseStatus")
          return values.has(String((record["responseStatus"] as number | undefined) ?? 0));
        return values.has(record[field] as string);
      })
    );
  };
  const sorted = places.filter(fits).toSorted(comparePositions).map(formatDlqId);
  return options.order === "earliestFirst" ? sorted : sorted.toReversed();
}

const querys: Partial<DlqQuery>[] = [
  {},
  { fromDate: 1_200, toDate: 1_900 },
  { filters: filtersOf({ queueName: ["a"], topicName: ["g"] }) },
  { filters: filtersOf({ queueName: ["a", "b"], label: ["three", "five"], responseStatus: ["0"] }) },
  { filters: filtersOf({ url: ["http://127.0.0.1/7", "http://127.0.0.1/8", "http://127.0.0.1/none"] }) },
  { filters: filtersOf({ messageId: ["m77"] }) },
  { filters: filtersOf({ label: ["two"], responseStatus: ["500"] }), fromDate: 300, toDate: 1_500 },
  { filters: filtersOf({ scheduleId: ["s"] }) },
];

describe("the store of dead letters", () => {
  test.each<StoreOptions>([
    { dateFilter: "entered", order: "earliestFirst" },
    { dateFilter: "entered", order: "latestFirst" },
    { dateFilter: "created", order: "earliestFirst" },
  ])("answers $order by date of $dateFilter as a plain list would, whatever came and went", (options) => {
    const random = seededRandom(7);
    const store = new DlqStore(options);
    // More than two blocks, put there in no order, so that blocks are split.
    let places = shuffledPlaces(12_000, random);
    const half = places.length / 2;
    insert(store, places.slice(0, half));
    insert(store, places.slice(half));
    const agree = (): void => {
      expect(store.size).toBe(places.length);
      for (const query of querys) {
        expect(idsOf(store, query)).toEqual(expectedIds(places, options, query));
      }
    };
    agree();
    // Holes everywhere, a stretch that goes altogether, others that nearly do: blocks are thinned out or
    // dropped.
    const isGone = ({ ms }: Place): boolean =>
      random() < 0.4 || (ms > 1_500 && ms < 1_700) || (ms > 2_000 && ms < 3_500 && random() < 0.9);
    const gone = places.filter((place) => isGone(place));
    places = places.filter((place) => !gone.includes(place));
    const ids = gone.map((place) => formatDlqId(place));
    expect(store.remove([...ids, "7-7", "nothing"])).toEqual(ids);
    expect(store.remove(ids)).toEqual([]);
    agree();
    // Some come again where they were, some that are there are replaced.
    const back = gone.slice(0, 1_500);
    const replaced = places
      .slice(0, 500)
      .map((place) => ({ ...place, record: { ...place.record, topicName: "g" } }));
    insert(store, [...back, ...replaced]);
    places = [...back, ...replaced, ...places.slice(500)];
    agree();
    const old = places.filter(({ ms }) => ms < 1_400);
    expect(store.removeBefore(1_400)).toEqual(old.toSorted(comparePositions).map(formatDlqId));
    places = places.filter(({ ms }) => ms >= 1_400);
    agree();
  });

  test("finds a free place behind all records of a millisecond past", () => {
    const store = new DlqStore(earliest);
    store.append(store.nextPosition(10), {});
    store.append(store.nextPosition(20), {});
    store.append(store.nextPosition(20), {});
    store.append(store.nextPosition(30), {});
    const free = [5, 10, 15, 20, 30].map((ms) => formatDlqId(store.freePosition(ms)));
    expect(free).toEqual(["5-0", "10-1", "15-0", "20-2", "30-1"]);
    expect(formatDlqId(store.nextPosition(30))).toBe("30-2");
  });

  test("never gives an id that cannot be read", () => {
    const store = new DlqStore(earliest);
    const top = 999_999_999;
    insert(store, [
      { ms: 5, seq: top, record: {} },
      { ms: 9, seq: top, record: {} },
    ]);
    expect(store.freePosition(5)).toEqual({ ms: 6, seq: 0 });
    expect([7, 8].map((now) => store.nextPosition(now))).toEqual([
      { ms: 10, seq: 0 },
      { ms: 10, seq: 1 },
    ]);
  });

  test("numbers records upwards even when the clock goes back", () => {
    const store = new DlqStore(earliest);
    expect([10, 10, 9, 11].map((now) => store.nextPosition(now))).toEqual([
      { ms: 10, seq: 0 },
      { ms: 10, seq: 1 },
      { ms: 10, seq: 2 },
      { ms: 11, seq: 0 },
    ]);
  });

  test("keeps a list of labels apart from one label that reads like it", () => {
    const store = new DlqStore(earliest);
    store.append({ ms: 1, seq: 0 }, { labels: ["a", "b"] });
    store.append({ ms: 2, seq: 0 }, { labels: ['["a","b"]'] });
    expect(idsOf(store, { filters: filtersOf({ label: ["b"] }) })).toEqual(["1-0"]);
    expect(idsOf(store, { filters: filtersOf({ label: ['["a","b"]'] }) })).toEqual(["2-0"]);
  });
});
