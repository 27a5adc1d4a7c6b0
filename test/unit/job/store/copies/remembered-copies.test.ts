import { describe, expect, it } from "vitest";
import { createRedisCopyBook } from "../../../../../src/job/store/copies/redis-copy-book.ts";
import { rememberCopies } from "../../../../../src/job/store/copies/remembered-copies.ts";
import type { CopyBook } from "../../../../../src/job/contracts/copy-book.ts";
import { RedriverError } from "../../../../../src/job/contracts/errors.ts";
import { dlqId, source } from "../../../../support/ledger-stands.ts";
import { useRedis } from "../../../../support/redis.ts";

const redis = useRedis();

const ids = (...numbers: readonly number[]) => numbers.map(dlqId);

/** A shared book in which what is named cannot be done. */
function shared() {
  const book = createRedisCopyBook(redis.fresh(), source, { lifeMs: 60_000 });
  const broken = new Set<keyof CopyBook>();
  const error = { now: new RedriverError("redis-unavailable", "away") as Error };
  const unless = <Answer>(name: keyof CopyBook, call: () => Promise<Answer>): Promise<Answer> =>
    broken.has(name) ? Promise.reject(error.now) : call();
  const breaking: CopyBook = {
    missing: (asked) => unless("missing", () => book.missing(asked)),
    copied: (noted) => unless("copied", () => book.copied(noted)),
  };
  return { book, breaking, broken, error };
}

describe("copies that are remembered beside the shared book", () => {
  it("are what the shared book says while it can be asked", async () => {
    const { book, breaking } = shared();
    const copies = rememberCopies(breaking);
    await copies.copied(ids(1));
    await book.copied(ids(2));
    expect(await book.missing(ids(1, 2, 3))).toEqual(ids(3));
    expect(await copies.missing(ids(3, 1, 2))).toEqual(ids(3));
  });

  it("are what this process copied or was told of while it cannot, and all else is missing", async () => {
    const { book, breaking, broken } = shared();
    const copies = rememberCopies(breaking);
    await book.copied(ids(1, 2));
    await copies.missing(ids(1));
    broken.add("missing").add("copied");
    await copies.copied(ids(3));
    expect(await copies.missing(ids(1, 2, 3, 4))).toEqual(ids(2, 4));
  });

  it("are noted with the next question once they can be", async () => {
    const { book, breaking, broken } = shared();
    const copies = rememberCopies(breaking);
    broken.add("copied");
    await copies.copied(ids(1, 2));
    expect(await copies.missing(ids(1, 2, 3))).toEqual(ids(3));
    expect(await book.missing(ids(1, 2))).toEqual(ids(1, 2));
    broken.clear();
    await copies.missing([]);
    expect(await book.missing(ids(1, 2))).toEqual([]);
  });

  it("are noted again where the shared book has lost them", async () => {
    const { book, breaking } = shared();
    const copies = rememberCopies(breaking);
    await rememberCopies(breaking).copied(ids(1));
    await copies.missing(ids(1));
    const lost = createRedisCopyBook(redis.fresh(), source, { lifeMs: 60_000 });
    book.missing = (asked) => lost.missing(asked);
    book.copied = (noted) => lost.copied(noted);
    expect(await copies.missing(ids(1, 2))).toEqual(ids(2));
    await copies.missing([]);
    expect(await lost.missing(ids(1))).toEqual([]);
  });

  it("hide no other failure", async () => {
    const { breaking, broken, error } = shared();
    error.now = new TypeError("a mistake");
    broken.add("missing");
    await expect(rememberCopies(breaking).missing(ids(1))).rejects.toThrow("a mistake");
  });
});
