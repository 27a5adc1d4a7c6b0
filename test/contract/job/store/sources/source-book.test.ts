import type { SourceBook } from "../../../../../src/job/contracts/source-book.ts";
import { describe, expect, test } from "vitest";
import { createRedisLedger } from "../../../../../src/job/store/ledger/redis-ledger.ts";
import { createRedisSourceBook } from "../../../../../src/job/store/sources/redis-source-book.ts";
import type { SourceId } from "../../../../../src/job/contracts/ids.ts";
import {
  defaultLimits,
  dlqId,
  drain,
  factOf,
  onClock,
  redisStand,
  request,
  source,
  token,
} from "../../../../support/ledger-stands.ts";
import { census } from "../../../../support/metrics.ts";
import { sharedKey } from "../../../../../src/job/redis/key-prefix.ts";
import { useRedis } from "../../../../support/redis.ts";

const redis = useRedis();
const retentionMs = 60_000;

/** Books of one installation. */
function createBooks() {
  const connection = redis.fresh();
  return {
    of: (id = source) => createRedisSourceBook(connection, id, retentionMs),
    /** Something is in doubt in the ledger of this id from now on. */
    use: (id: SourceId) =>
      createRedisLedger(connection, id, defaultLimits, { epochSeed: () => "epoch" }).park(
        [{ dlqId: dlqId(1), reason: "refused", attempt: 1 }],
        { drain, rulesHash: "h", token: null },
      ),
  };
}

const create = (): SourceBook => createBooks().of();

describe("the book of a source", () => {
  test("remembers under which id an account is drained", async () => {
    const { of } = createBooks();
    const [one, other] = [of(), of("other" as SourceId)];
    expect(await one.knownBinding("url", "token")).toEqual({ drainedAs: null, isBound: false });
    expect(await one.idOfAccount("url", "token")).toBe(source);
    expect(await other.idOfAccount("url", "token")).toBe(source);
    expect(await one.idOfAccount("url", "token")).toBe(source);
    expect(await other.idOfAccount("url", "another")).toBe("other");
    expect(await other.knownBinding("url", "token")).toEqual({ drainedAs: source, isBound: false });
  });

  test("knows the other ids that are bound to its address, and whose ledger has something", async () => {
    const { of, use } = createBooks();
    const [other, third] = ["other", "third"] as SourceId[] as [SourceId, SourceId];
    expect(await of().othersAt("url", 0)).toEqual([]);
    await of(other).bind("url", "token");
    await of(third).bind("elsewhere", "token");
    expect(await of(third).bind("url", "token")).toBe("url-differs");
    expect(await of().othersAt("url", 0)).toEqual([{ id: other, isInUse: false }]);
    await use(other);
    expect(await of().othersAt("url", 0)).toEqual([{ id: other, isInUse: true }]);
    expect(await of().knownBinding("url", "token")).toEqual({ drainedAs: null, isBound: false });
    await of().bind("url", "next");
    expect(await of().knownBinding("url", "next")).toEqual({ drainedAs: null, isBound: true });
    expect(await of(other).othersAt("url", 0)).toEqual([{ id: source, isInUse: false }]);
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

  test("keeps the census that began last, whichever is noted last", async () => {
    const book = create();
    const newer = { ...census, at: census.at + 1, depth: 20 };
    expect(await book.census()).toBeNull();
    await book.recordCensus(newer);
    await book.recordCensus({ ...census, depth: 10 });
    expect(await book.census()).toEqual(newer);
    await book.recordCensus({ ...census, at: census.at + 2, depth: 30 });
    expect((await book.census())?.depth).toBe(30);
  });
});

describe("the ledger of another id at the same address (Redis)", () => {
  const windowMs = defaultLimits.dedupWindowMs;
  /** Another id's book, and the ledger of `source`, on a clock in the test's hand. */
  async function createStand() {
    const connection = redis.fresh();
    const stand = await redisStand(connection);
    const moved = createRedisSourceBook(onClock(connection, stand), "new" as SourceId, retentionMs);
    await createRedisSourceBook(connection, source, retentionMs).bind("url", "token");
    const isInUse = async (): Promise<boolean> => (await moved.othersAt("url", windowMs))[0]!.isInUse;
    return { ...stand, isInUse };
  }
  const id = dlqId(1);
  const as = { token: token("a"), drain, act: "republish", pastHorizon: "leave" } as const;
  const fact = factOf(id, "1");

  test("is in use while something is open or pending, and for a window after the last write", async () => {
    const { ledger, now, advance, isInUse } = await createStand();
    expect(await isInUse()).toBe(false);
    await ledger.begin([request(id)], { ...as, pageReadAt: now() });
    await advance(windowMs + 1);
    expect(await isInUse()).toBe(true);
    await ledger.published([fact]);
    await advance(windowMs + 1);
    expect(await isInUse()).toBe(true);
    await ledger.gone([id]);
    await advance(windowMs);
    // Which is asked for all the time.
    await ledger.summary();
    expect(await isInUse()).toBe(true);
    await advance(1);
    expect(await isInUse()).toBe(false);
  });

  test("is in use for the retention after what is in doubt was released", async () => {
    const { ledger, now, advance, isInUse } = await createStand();
    await ledger.begin([request(id)], { ...as, pageReadAt: now() });
    await advance(windowMs);
    await ledger.park([{ dlqId: id, reason: "attempts-exhausted", attempt: 1 }], {
      drain,
      rulesHash: "h",
      token: null,
    });
    await ledger.release([id]);
    // Its life ends by the server's clock, which is set back.
    await ledger.summary();
    await advance(-windowMs);
    await ledger.summary();
    await advance(windowMs + defaultLimits.retentionMs - 10_000);
    expect((await ledger.peek([id])).views).toMatchObject([{ state: "cool" }]);
    expect(await isInUse()).toBe(true);
    await advance(10_000);
    expect((await ledger.peek([id])).views).toMatchObject([{ state: "absent" }]);
    expect(await isInUse()).toBe(false);
  });
});

test("a bound id that its address does not list is listed from its next binding on, for two retentions", async () => {
  const connection = redis.fresh();
  const old = createRedisSourceBook(connection, source, retentionMs);
  const renamed = createRedisSourceBook(connection, "new" as SourceId, retentionMs);
  await old.bind("url", "token");
  const key = sharedKey(connection.keyPrefix, "address", "url");
  await connection.command("DEL", key);
  expect(await renamed.othersAt("url", 0)).toEqual([]);
  expect(await old.bind("url", "token")).toBe("same");
  expect(await renamed.othersAt("url", 0)).toMatchObject([{ id: source }]);
  const life = Number(await connection.command("PTTL", key));
  expect(life).toBeGreaterThan(2 * retentionMs - 10_000);
  expect(life).toBeLessThanOrEqual(2 * retentionMs);
});
