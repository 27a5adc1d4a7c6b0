import { describe, expect, test } from "vitest";
import { createMemorySourceBook } from "../../src/ledger/memory-source-book.ts";
import { createRedisSourceBook } from "../../src/ledger/redis-source-book.ts";
import type { SourceId } from "../../src/ports/ids.ts";
import type { Census, SourceBook } from "../../src/ports/passes.ts";
import { source, startOfTime } from "../support/ledger-stands.ts";
import { useRedis } from "../support/redis.ts";

const redis = useRedis();
const retentionMs = 60_000;

function census(changes: Partial<Census> = {}): Census {
  return {
    at: startOfTime,
    counted: "listing",
    depth: 12,
    unselected: 3,
    oldestUnselectedAt: startOfTime - 2_000,
    strayComeBacks: { count: 2, top: [{ host: "a.example", status: 503, count: 2 }] },
    oldestEnteredAt: startOfTime - 9_000,
    earliestExpiryAt: startOfTime + 1_000,
    expiringUnarchived: 1,
    expiringAccepted: 2,
    documentHash: "abc123",
    ...changes,
  };
}

/** Books of one installation. */
type Books = (id?: SourceId) => SourceBook;

function memoryBooks(): Books {
  const accounts = new Map<string, SourceId>();
  return (id = source) => createMemorySourceBook(id, accounts);
}

function redisBooks(): Books {
  const connection = redis.fresh();
  return (id = source) => createRedisSourceBook(connection, id, retentionMs);
}

describe.each<{ readonly name: string; readonly books: () => Books }>([
  { name: "memory", books: memoryBooks },
  { name: "Redis", books: redisBooks },
])("the book of a source ($name)", ({ books }) => {
  const create = (): SourceBook => books()();

  test("remembers under which id an account is drained", async () => {
    const create = books();
    const [one, other] = [create(), create("other" as SourceId)];
    expect(await one.idOfAccount("url", "token")).toBe(source);
    expect(await other.idOfAccount("url", "token")).toBe(source);
    expect(await one.idOfAccount("url", "token")).toBe(source);
    expect(await other.idOfAccount("url", "another")).toBe("other");
  });

  test("binds the source to its address for good, and follows its token", async () => {
    const book = create();
    expect(await book.bind("url", "token")).toBe("bound");
    expect(await book.bind("url", "token")).toBe("same");
    expect(await book.bind("url", "next")).toBe("token-changed");
    expect(await book.bind("other", "next")).toBe("url-differs");
    expect(await book.bind("url", "next")).toBe("same");
  });

  test("remembers what dates mean", async () => {
    const book = create();
    expect(await book.datesMean()).toBeNull();
    await book.learnDates("created");
    expect(await book.datesMean()).toBe("created");
  });

  test("answers the census as it was noted", async () => {
    const book = create();
    expect(await book.census()).toBeNull();
    await book.noteCensus(census());
    expect(await book.census()).toEqual(census());
    const empty = census({
      depth: 0,
      oldestUnselectedAt: null,
      oldestEnteredAt: null,
      earliestExpiryAt: null,
    });
    await book.noteCensus(empty);
    expect(await book.census()).toEqual(empty);
  });

  test("keeps the census that began last, whichever is noted last", async () => {
    const book = create();
    const newer = census({ at: startOfTime + 1, depth: 20 });
    await book.noteCensus(newer);
    await book.noteCensus(census({ depth: 10 }));
    expect(await book.census()).toEqual(newer);
    await book.noteCensus(census({ at: startOfTime + 2, depth: 30 }));
    expect((await book.census())?.depth).toBe(30);
  });
});

test("a census that another version wrote has accepted nothing and counted no come-backs", async () => {
  const book = createRedisSourceBook(redis.fresh(), source, retentionMs);
  const { expiringAccepted, strayComeBacks, ...older } = census();
  await book.noteCensus(older as Census);
  expect([expiringAccepted, strayComeBacks.count]).not.toContain(0);
  const counted = { expiringAccepted: 0, strayComeBacks: { count: 0, top: [] } };
  expect(await book.census()).toEqual({ ...older, ...counted });
});
