import { describe, expect, test } from "vitest";
import { createRedisGuardBook } from "../../../../../src/job/store/guards/redis-guard-book.ts";
import type { GuardBook, GuardMemory } from "../../../../../src/job/contracts/guards.ts";
import { drain, source } from "../../../../support/ledger-stands.ts";
import { useRedis } from "../../../../support/redis.ts";

const redis = useRedis();
const guard = "catalog pending_index_count 10000..Infinity -Infinity..4999";
const held: GuardMemory = { state: "closed", effect: "closed", readAt: 2_000 };

const create = (): GuardBook => createRedisGuardBook(redis.fresh(), source);

describe("the book of guards", () => {
  test("keeps what was judged by a newer reading", async () => {
    const book = create();
    await book.record(drain, guard, held);
    expect(await book.record(drain, guard, { state: "open", effect: "open", readAt: 1_999 })).toBeNull();
    expect(await book.recall(drain, [guard])).toEqual([held]);
  });
});

describe("the book of guards in Redis", () => {
  test("takes what another version wrote for nothing, and writes over it", async () => {
    const connection = redis.fresh();
    const book = createRedisGuardBook(connection, source);
    await book.record(drain, guard, held);
    const [key] = (await connection.command("KEYS", `${connection.keyPrefix}:*`)) as string[];
    await connection.command("SET", key!, JSON.stringify({ v: 2, readAt: 9e12, effect: "closed" }));
    expect(await book.recall(drain, [guard])).toEqual([null]);
    expect(await book.record(drain, guard, held)).toBe("open");
    expect(await book.recall(drain, [guard])).toEqual([held]);
  });
});
