import { describe, expect, test } from "vitest";
import { createRedisCopyBook } from "../../../../../src/job/store/copies/redis-copy-book.ts";
import type { DlqId } from "../../../../../src/job/message/dead-letter.ts";
import type { SourceId } from "../../../../../src/job/contracts/ids.ts";
import { dlqId, source, withMovedTime } from "../../../../support/ledger-stands.ts";
import { useRedis } from "../../../../support/redis.ts";

const redis = useRedis();
const lifeMs = 3 * 86_400_000;

function create() {
  const { redis: moved, advance } = withMovedTime(redis.fresh());
  return {
    book: createRedisCopyBook(moved, source, { lifeMs }),
    otherSource: createRedisCopyBook(moved, "us" as SourceId, { lifeMs }),
    /** How many ids are kept. */
    size: async () => (await moved.command("ZCARD", `${moved.keyPrefix}:v1:{${source}}:copies`)) as number,
    advance,
  };
}

const ids = (...numbers: readonly number[]): readonly DlqId[] => numbers.map(dlqId);

describe("the book of copies", () => {
  test("answers what is not known to be copied, in the order asked", async () => {
    const { book, otherSource } = create();
    expect(await book.missing(ids(3, 1, 2))).toEqual(ids(3, 1, 2));
    await book.copied(ids(1, 4));
    expect(await book.missing(ids(3, 1, 2))).toEqual(ids(3, 2));
    expect(await otherSource.missing(ids(1))).toEqual(ids(1));
  });

  test("knows an id for as long as it is asked about", async () => {
    const { book, advance } = create();
    await book.copied(ids(1));
    for (let asked = 0; asked < 5; asked += 1) {
      await advance(lifeMs * 0.7);
      expect(await book.missing(ids(1))).toEqual([]);
    }
  });

  test("cleans itself: what is forgotten is kept nowhere", async () => {
    const { book, size, advance } = create();
    await book.copied(ids(1, 2, 3));
    await advance(lifeMs / 2);
    await book.copied(ids(4));
    expect(await size()).toBe(4);
    await advance(lifeMs / 2 - 1);
    await book.copied(ids(5));
    expect(await size()).toBe(5);
    await advance(1);
    await book.missing(ids(1));
    expect(await size()).toBe(2);
    expect(await book.missing(ids(1, 2, 3, 4, 5))).toEqual(ids(1, 2, 3));
  });

  test("takes more ids than one script should", async () => {
    const { book } = create();
    const many = ids(...Array.from({ length: 2_500 }, (_, n) => n));
    await book.copied(many.slice(0, 2_400));
    expect(await book.missing(many)).toEqual(many.slice(2_400));
  });
});

describe("the book in Redis", () => {
  test("vanishes when nobody touches it for its life, by Redis's own clock", async () => {
    const connection = redis.fresh();
    const book = createRedisCopyBook(connection, source, { lifeMs });
    await book.copied(ids(1));
    const left = await connection.command("PTTL", `${connection.keyPrefix}:v1:{${source}}:copies`);
    expect(left).toBeGreaterThan(lifeMs - 60_000);
    expect(left).toBeLessThanOrEqual(lifeMs);
    expect(await book.missing(ids(1, 2))).toEqual(ids(2));
  });
});
