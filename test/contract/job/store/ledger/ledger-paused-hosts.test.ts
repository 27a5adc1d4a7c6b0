import { describe, expect, test } from "vitest";
import { namesOfDestination } from "../../../../../src/job/message/destination-names.ts";
import type { BeginOptions } from "../../../../../src/job/contracts/ledger.ts";
import { createRedisPauseBook } from "../../../../../src/job/store/pauses/redis-pause-book.ts";
import { sourceKeys } from "../../../../../src/job/store/keys.ts";
import {
  defaultLimits,
  dlqId,
  drain,
  otherDrain,
  redisStand,
  request,
  source,
  token,
} from "../../../../support/ledger-stands.ts";
import { takeoverAfterMs, postHorizonMs } from "../../../../../src/job/contracts/ledger-limits.ts";
import { useRedis } from "../../../../support/redis.ts";

/** Every script runs twice, on a time that only `advance` moves. */
const redis = useRedis();
const record = { drain: "*", reason: "being moved", by: "ann", at: 1 } as const;
const pay = namesOfDestination({ destination: "https://pay.example.com/hook" });
const other = namesOfDestination({ destination: "https://other.example.com/hook", queue: "invoices" });

async function create() {
  const stand = await redisStand(redis.fresh());
  const pauses = createRedisPauseBook(stand.redis, source);
  let tokens = 0;
  const begin = (n: number, destinations: readonly string[], changes: Partial<BeginOptions> = {}) =>
    stand.ledger.begin([request(dlqId(n))], {
      token: token(`t${(tokens += 1)}`),
      drain,
      act: "republish",
      pageReadAt: stand.now(),
      pastHorizon: "leave",
      destinations,
      ...changes,
    });
  return { ...stand, pauses, begin };
}

describe("a paused destination", () => {
  test.each(["pay.example.com", "pay.example.com:443", "https://pay.example.com"])(
    "named %s begins nothing new, and others go on",
    async (host) => {
      const { pauses, begin } = await create();
      await pauses.pause({ ...record, host });
      expect(await begin(1, pay)).toMatchObject({ kind: "host-paused", hosts: [host] });
      expect(await begin(1, [...other, ...pay])).toMatchObject({ kind: "host-paused", hosts: [host] });
      expect(await begin(1, other)).toMatchObject({ verdicts: [{ kind: "begun" }] });
      // A drop goes nowhere.
      expect(await begin(2, [], { act: "drop" })).toMatchObject({ verdicts: [{ kind: "begun" }] });
      expect(await pauses.resume({ drain, host })).toBe(false);
      expect(await pauses.resume({ drain: "*", host })).toBe(true);
      expect(await begin(3, pay)).toMatchObject({ verdicts: [{ kind: "begun" }] });
    },
  );

  test("may be a queue, and may be paused for one drain alone", async () => {
    const { pauses, begin } = await create();
    await pauses.pause({ ...record, host: "queue:invoices", drain });
    expect(await begin(1, other)).toMatchObject({ kind: "host-paused" });
    expect(await begin(1, other, { drain: otherDrain })).toMatchObject({ verdicts: [{ kind: "begun" }] });
  });

  test("a pause of everything outranks it", async () => {
    const { pauses, begin } = await create();
    await pauses.pause({ ...record, host: "pay.example.com" });
    await pauses.pause({ ...record, drain });
    expect(await begin(1, pay)).toMatchObject({ kind: "paused" });
    expect(await begin(1, other)).toMatchObject({ kind: "paused" });
  });

  test("gets nothing again of a batch that was refused, until it is let go", async () => {
    const { pauses, begin } = await create();
    await begin(1, pay, { token: token("refused") });
    await pauses.pause({ ...record, host: "pay.example.com" });
    const half = { previous: { token: token("refused"), outcome: "refused" } } as const;
    expect(await begin(1, pay, half)).toMatchObject({ kind: "host-paused", hosts: ["pay.example.com"] });
    await pauses.resume({ drain: "*", host: "pay.example.com" });
    expect(await begin(1, pay, half)).toMatchObject({ verdicts: [{ kind: "begun", series: { suffix: 2 } }] });
  });

  test("still gets what may have arrived already, up to its horizon", async () => {
    const { pauses, begin, advance } = await create();
    await begin(1, pay);
    await pauses.pause({ ...record, host: "pay.example.com" });
    expect(await begin(1, pay)).toMatchObject({ kind: "host-paused" });
    await advance(takeoverAfterMs(defaultLimits) + 1);
    expect(await begin(1, pay)).toMatchObject({ verdicts: [{ kind: "begun", series: { posts: 2 } }] });
    await advance(postHorizonMs(defaultLimits));
    expect(await begin(1, pay, { pastHorizon: "new-series" })).toMatchObject({ kind: "host-paused" });
  });
});

describe("a pause with an end", () => {
  test("ends by itself, by Redis time, and is forgotten then", async () => {
    const { pauses, begin, advance, now, redis: connection } = await create();
    const until = now() + 30_000;
    expect(await pauses.pause({ ...record, host: "pay.example.com" }, 30_000)).toMatchObject({ until });
    await pauses.pause({ ...record, drain: otherDrain, at: 2 }, 60_000);
    expect((await pauses.all()).map((one) => one.until)).toEqual([until, until + 30_000]);
    await advance(29_999);
    expect(await begin(1, pay)).toMatchObject({ kind: "host-paused" });
    await advance(1);
    expect(await begin(1, pay)).toMatchObject({ verdicts: [{ kind: "begun" }] });
    expect(await pauses.all()).toMatchObject([{ drain: otherDrain }]);
    const { pauses: key } = sourceKeys(connection.keyPrefix, source);
    expect(await connection.command("HLEN", key)).toBe(1);
  });

  test("takes the place of the same one without", async () => {
    const { pauses, begin, advance } = await create();
    await pauses.pause({ ...record, drain });
    await pauses.pause({ ...record, drain }, 1_000);
    await advance(1_000);
    expect(await begin(1, pay)).toMatchObject({ verdicts: [{ kind: "begun" }] });
  });
});
