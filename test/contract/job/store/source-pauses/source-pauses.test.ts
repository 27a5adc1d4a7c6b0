import { beforeEach, describe, expect, test } from "vitest";
import { createRedisSourcePauseBook } from "../../../../../src/job/store/source-pauses/redis-source-pauses.ts";
import {
  failuresBeforePause,
  inARowWithinMs,
  maxPauseMs,
  type SourcePauseBook,
} from "../../../../../src/job/contracts/source-pauses.ts";
import { onClock, source, withMovedTime } from "../../../../support/ledger-stands.ts";
import { createManualClock } from "../../../../support/manual-clock.ts";
import { useRedis } from "../../../../support/redis.ts";

const redis = useRedis();
const leaseMs = 60_000;

async function failTimes(book: SourcePauseBook, times: number): Promise<unknown> {
  let last: unknown = null;
  for (let time = 0; time < times; time += 1) last = await book.failed(0);
  return last;
}

/** A book on a clock in the test's hand. */
function create() {
  const clock = createManualClock();
  return { book: createRedisSourcePauseBook(onClock(redis.fresh(), clock), source), advance: clock.advance };
}

type Stand = Awaited<ReturnType<typeof create>>;
let book: Stand["book"];
let advance: Stand["advance"];
beforeEach(() => {
  ({ book, advance } = create());
});

describe("the book of source pauses", () => {
  test("shows no calm while the other class pauses, or a failure may still count", async () => {
    await book.limited("batch", 5_000);
    expect(await book.ask("dlq", leaseMs)).toBe("go");
    advance(5_000);
    expect(await book.ask("dlq", leaseMs)).toBe("calm");
    await book.failed(0);
    expect(await book.ask("dlq", leaseMs)).toBe("go");
    advance(inARowWithinMs + 1);
    expect(await book.ask("dlq", leaseMs)).toBe("calm");
  });

  test("keeps to a 429 for its class of calls alone, and of two to the longer", async () => {
    await book.limited("dlq", 60_000);
    await book.limited("dlq", 5_000);
    expect(await book.ask("batch", leaseMs)).toBe("go");
    expect(await book.ask("dlq", leaseMs)).toEqual({ why: "rate-limited", forMs: 60_000 });
    await book.answered();
    expect(await book.ask("dlq", leaseMs)).toMatchObject({ why: "rate-limited" });
  });

  test("leaves the service alone after failures in a row, all its calls, and not after fewer", async () => {
    expect(await failTimes(book, failuresBeforePause - 1)).toBeNull();
    await book.answered();
    expect(await failTimes(book, failuresBeforePause - 1)).toBeNull();
    expect(await book.ask("dlq", leaseMs)).toBe("go");
    expect(await book.failed(0)).toEqual({ why: "failing", forMs: 1_000 });
    for (const callClass of ["dlq", "batch"] as const) {
      expect(await book.ask(callClass, leaseMs)).toMatchObject({ why: "failing" });
    }
  });

  test("counts no failure of a call that was under way when the pause began", async () => {
    await failTimes(book, failuresBeforePause);
    await failTimes(book, 10);
    advance(999);
    expect(await book.ask("dlq", leaseMs)).toEqual({ why: "failing", forMs: 1 });
    advance(1);
    expect(await book.ask("dlq", leaseMs)).toBe("probe");
  });

  test("lets one probe through when the pause is over, then pauses twice as long or not at all", async () => {
    await failTimes(book, failuresBeforePause);
    advance(1_000);
    expect(await book.ask("dlq", leaseMs)).toBe("probe");
    expect(await book.ask("dlq", leaseMs)).toEqual({ why: "failing", forMs: 1_000 });
    expect(await book.ask("batch", leaseMs)).toEqual({ why: "failing", forMs: 1_000 });
    expect(await book.failed(0)).toEqual({ why: "failing", forMs: 2_000 });
    await book.answered();
    expect(await book.ask("dlq", leaseMs)).toBe("calm");
    expect(await failTimes(book, failuresBeforePause - 1)).toBeNull();
  });

  test("lets the next call probe once a probe was given back, or its lease is over", async () => {
    await failTimes(book, failuresBeforePause);
    advance(1_000);
    expect(await book.ask("dlq", leaseMs)).toBe("probe");
    expect(await book.ask("dlq", leaseMs)).toMatchObject({ why: "failing" });
    await book.giveBack("dlq");
    expect(await book.ask("batch", 100)).toBe("probe");
    advance(100);
    expect(await book.ask("dlq", leaseMs)).toBe("probe");
  });

  test("counts no failures in a row that are further apart than a minute", async () => {
    await failTimes(book, failuresBeforePause - 1);
    advance(inARowWithinMs + 1);
    expect(await failTimes(book, failuresBeforePause - 1)).toBeNull();
    advance(inARowWithinMs);
    expect(await book.failed(0)).toMatchObject({ why: "failing" });
  });
});

test("pauses grow from one second to the longest, with up to a quarter of jitter and never beyond", async () => {
  await failTimes(book, failuresBeforePause - 1);
  const pauses: number[] = [];
  for (const jitter of [1, 0, 0, 1, 0, 0, 1]) {
    const pause = await book.failed(jitter);
    pauses.push(pause?.forMs ?? 0);
    advance(pause?.forMs ?? 0);
    expect(await book.ask("dlq", leaseMs)).toBe("probe");
  }
  expect(pauses).toEqual([1_250, 2_000, 4_000, 10_000, 16_000, maxPauseMs, maxPauseMs]);
});

test("tells people until when a 429 pauses which calls, and nothing of failures", async () => {
  expect(await book.limits()).toEqual({ batch: 0, dlq: 0 });
  await book.limited("batch", 600_000);
  await failTimes(book, failuresBeforePause);
  const { batch, dlq } = await book.limits();
  expect(dlq).toBe(0);
  await book.limited("dlq", 60_000);
  expect(await book.limits()).toEqual({ batch, dlq: batch - 540_000 });
  advance(60_000);
  expect(await book.limits()).toEqual({ batch, dlq: 0 });
});

test("two replicas of one source share a book, another source has its own", async () => {
  const connection = redis.fresh();
  await createRedisSourcePauseBook(connection, source).limited("batch", 30_000);
  expect(await createRedisSourcePauseBook(connection, source).ask("batch", leaseMs)).toMatchObject({
    why: "rate-limited",
  });
  const other = createRedisSourcePauseBook(connection, "other" as typeof source);
  expect(await other.ask("batch", leaseMs)).toBe("calm");
  const [key, ...others] = (await connection.command("KEYS", `${connection.keyPrefix}:*`)) as string[];
  expect(others).toEqual([]);
  expect(Number(await connection.command("PTTL", key!))).toBeGreaterThan(30_000);
});

test("a clock that is set back lets no pause last until the old time comes again", async () => {
  const moved = withMovedTime(redis.fresh());
  const book = createRedisSourcePauseBook(moved.redis, source);
  await book.limited("batch", 6_000);
  await failTimes(book, failuresBeforePause);
  await moved.advance(-3_600_000);
  const pauses = async (): Promise<unknown[]> => [
    await book.ask("dlq", leaseMs),
    await book.ask("batch", leaseMs),
  ];
  for (const pause of await pauses()) {
    expect((pause as { readonly forMs: number }).forMs).toBeLessThanOrEqual(6_000);
  }
  await moved.advance(6_000);
  // Every script runs twice here, so that the first call finds its own probe.
  expect(await pauses()).toEqual([1, 2].map(() => ({ why: "failing", forMs: 1_000 })));
});
