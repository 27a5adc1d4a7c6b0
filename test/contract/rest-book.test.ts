import { describe, expect, test } from "vitest";
import { createMemoryRestBook } from "../../src/limits/memory-rest-book.ts";
import { createRedisRestBook } from "../../src/limits/redis-rest-book.ts";
import { failuresBeforeRest, restAfterFailuresMs, type RestBook } from "../../src/ports/rests.ts";
import { source } from "../support/ledger-stands.ts";
import { useRedis } from "../support/redis.ts";

const redis = useRedis();

async function failTimes(book: RestBook, times: number): Promise<unknown> {
  let last: unknown = null;
  for (let time = 0; time < times; time += 1) last = await book.failed(0);
  return last;
}

describe.each<{ name: string; create: () => RestBook }>([
  { name: "memory", create: () => createMemoryRestBook({ now: () => Date.now() }) },
  { name: "Redis", create: () => createRedisRestBook(redis.fresh(), source) },
])("the book of rests ($name)", ({ create }) => {
  test("lets calls through where nothing is known", async () => {
    const book = create();
    expect(await book.ask("dlq")).toBeNull();
    expect(await book.ask("batch")).toBeNull();
  });

  test("keeps to a 429 for its class of calls alone, and of two to the longer", async () => {
    const book = create();
    await book.limited("dlq", 60_000);
    await book.limited("dlq", 5_000);
    expect(await book.ask("batch")).toBeNull();
    const rest = await book.ask("dlq");
    expect(rest?.why).toBe("rate-limited");
    expect(rest?.forMs).toBeGreaterThan(58_000);
    expect(rest?.forMs).toBeLessThanOrEqual(60_000);
    await book.answered();
    expect((await book.ask("dlq"))?.why).toBe("rate-limited");
  });

  test("leaves the service alone after failures in a row, all its calls, and not after fewer", async () => {
    const book = create();
    expect(await failTimes(book, failuresBeforeRest - 1)).toBeNull();
    await book.answered();
    expect(await failTimes(book, failuresBeforeRest - 1)).toBeNull();
    expect(await book.ask("dlq")).toBeNull();
    expect(await book.failed(0)).toEqual({ why: "failing", forMs: 1_000 });
    for (const callClass of ["dlq", "batch"] as const) {
      expect(await book.ask(callClass)).toMatchObject({ why: "failing" });
    }
  });

  test("counts no failure of a call that was under way when the rest began", async () => {
    const book = create();
    await failTimes(book, failuresBeforeRest);
    await failTimes(book, 10);
    await expect.poll(() => book.ask("dlq"), { timeout: 3_000, interval: 50 }).toBeNull();
  });

  test("lets one probe through when the rest is over, then rests twice as long or not at all", async () => {
    const book = create();
    await failTimes(book, failuresBeforeRest);
    await expect.poll(() => book.ask("dlq"), { timeout: 3_000, interval: 50 }).toBeNull();
    expect(await book.ask("dlq")).toEqual({ why: "failing", forMs: 1_000 });
    expect(await book.ask("batch")).toEqual({ why: "failing", forMs: 1_000 });
    expect(await book.failed(0)).toEqual({ why: "failing", forMs: 2_000 });
    await book.answered();
    expect(await book.ask("dlq")).toBeNull();
    expect(await failTimes(book, failuresBeforeRest - 1)).toBeNull();
  });
});

test("rests grow from one second to one minute, with up to a quarter of jitter", () => {
  const rests = [4, 5, 6, 7, 10, 11, 12, 1_000].map((failures) => restAfterFailuresMs(failures, 0));
  expect(rests).toEqual([0, 1_000, 2_000, 4_000, 32_000, 60_000, 60_000, 60_000]);
  expect(restAfterFailuresMs(5, 1)).toBe(1_250);
});

test("two replicas of one source share a book, another source has its own", async () => {
  const connection = redis.fresh();
  await createRedisRestBook(connection, source).limited("batch", 30_000);
  expect(await createRedisRestBook(connection, source).ask("batch")).toMatchObject({ why: "rate-limited" });
  expect(await createRedisRestBook(connection, "other" as typeof source).ask("batch")).toBeNull();
  const [key, ...others] = (await connection.command("KEYS", `${connection.keyPrefix}:*`)) as string[];
  expect(others).toEqual([]);
  expect(Number(await connection.command("PTTL", key!))).toBeGreaterThan(30_000);
});
