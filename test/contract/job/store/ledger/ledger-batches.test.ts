import { beforeEach, describe, expect, test } from "vitest";
import type { DlqId } from "../../../../../src/job/message/dead-letter.ts";
import { createRedisLedger } from "../../../../../src/job/store/ledger/redis-ledger.ts";
import { sourceKeys } from "../../../../../src/job/store/keys.ts";
import type { RedisConnection } from "../../../../../src/job/redis/connect.ts";
import {
  begin,
  defaultLimits,
  dlqId,
  drain,
  messageId,
  publishedFact,
  redisStand,
  request,
  source,
  standsOn,
  startOfTime,
  takeoverMs,
  token,
  type LedgerStand,
} from "../../../../support/ledger-stands.ts";
import { useRedis } from "../../../../support/redis.ts";

/** Records that were begun together, and share one record of the ledger while they share one fate. */
const redis = useRedis();
const create = standsOn(redis);
const [a, b, c] = [token("a"), token("b"), token("c")];
const [one, two, three, four] = [dlqId(1), dlqId(2), dlqId(3), dlqId(4)] as const;

const factsOf = (ids: readonly DlqId[]) => ids.map((id) => ({ ...publishedFact(id), drain }));
const publish = ({ ledger }: LedgerStand, ids: readonly DlqId[]) => ledger.published(factsOf(ids));
const statesOf = async ({ ledger }: LedgerStand, ids: readonly DlqId[]): Promise<readonly string[]> =>
  (await ledger.peek(ids)).views.map(({ state }) => state);

const kindOf = (index: number, kinds: number): string => `c0ffee${1_000 + (index % kinds)}`;
const ruleOf = (index: number, rules: number): string => `decade${1_000 + (index % rules)}`;
const countsOf = async ({ ledger }: LedgerStand, rules: number) => {
  const named = Array.from({ length: rules }, (_, index) => ({ drain, rule: "r", id: ruleOf(index, rules) }));
  return (await ledger.summary(named)).rules.map(({ published, failedAgain }) => [published, failedAgain]);
};
const come = ({ ledger }: LedgerStand, ids: readonly DlqId[]) =>
  ledger.published(ids.map((id) => ({ ...publishedFact(id), deletePending: false, drain, namedBy: b })));

const beginAs = (stand: LedgerStand, ids: readonly DlqId[], kinds: number | null) =>
  stand.ledger.begin(
    ids.map((id, index) => ({
      ...request(id),
      ...(kinds === null ? {} : { failure: kindOf(index, kinds), rule: ruleOf(index, kinds) }),
    })),
    { token: a, drain, act: "republish", pageReadAt: stand.now(), pastHorizon: "leave" },
  );

let stand: Awaited<ReturnType<typeof create>>;
beforeEach(async () => {
  stand = await create();
});

describe("the kind and the rule under which a record was begun", () => {
  const many = Array.from({ length: 100 }, (_, index) => dlqId(index + 1));

  test.each([1, 2, 12, 100])(
    "are told or counted by its first come-back, of %i in one batch",
    async (kinds) => {
      await beginAs(stand, many, kinds);
      await publish(stand, many.slice(0, 60));
      await stand.ledger.gone(many.slice(0, 40));
      const { verdicts } = await come(stand, many);
      expect(verdicts.map(({ failure }) => failure)).toEqual(many.map((_, index) => kindOf(index, kinds)));
      const again = await stand.ledger.published([{ ...publishedFact(one), namedBy: c }]);
      expect(again.verdicts[0]).not.toHaveProperty("failure");
      const each = Array.from(
        { length: kinds },
        (_, of) => many.filter((_id, at) => at % kinds === of).length,
      );
      expect(await countsOf(stand, kinds)).toEqual(each.map((count) => [count, count]));
      expect((await stand.ledger.summary([{ drain, rule: "new", id: "0123456789" }])).rules).toEqual([]);
    },
  );

  test("stay with the batch as long as it is whole, and with one that was begun alone or is parked", async () => {
    await beginAs(stand, many, 12);
    await publish(stand, many);
    await stand.ledger.gone(many);
    const [first, second] = (await come(stand, many.slice(11, 13))).verdicts;
    expect([first?.failure, second?.failure]).toEqual([kindOf(11, 12), kindOf(0, 12)]);
    expect((await countsOf(stand, 12)).slice(0, 2)).toEqual([
      [9, 1],
      [9, 0],
    ]);
    const alone = [dlqId(200)];
    await beginAs(stand, alone, 1);
    const parking = { dlqId: alone[0]!, reason: "outcome-unknown", attempt: 1 } as const;
    await stand.ledger.park([parking], { drain, rulesHash: "h", token: a });
    expect((await come(stand, alone)).verdicts).toMatchObject([{ failure: kindOf(0, 1) }]);
    expect(await countsOf(stand, 1)).toEqual([[10, 2]]);
  });

  test("are not known of what was begun without them, of what is forgotten, and of a drop", async () => {
    await beginAs(stand, many, null);
    const ids = [...many.slice(0, 2), dlqId(300)];
    for (const { failure } of (await come(stand, ids)).verdicts) expect(failure).toBeUndefined();
    expect(await countsOf(stand, 1)).toEqual([]);
  });
});

describe("a batch", () => {
  test("is walked with single entries, oldest first, from any offset", async () => {
    await begin(stand, [three, four], a);
    await stand.advance(10);
    await begin(stand, [two], b);
    await stand.advance(10);
    const last = [1, 5, 6].map(dlqId);
    await begin(stand, last, c);
    await stand.advance(takeoverMs + 1);
    const all = [three, four, two, ...last];
    const walk = async (
      from: (limit: number, offset: number) => ReturnType<typeof stand.ledger.pendingDeletes>,
    ) => {
      for (const limit of [1, 2, 4, 10]) {
        for (let offset = 0; offset <= all.length; offset += 1) {
          const { entries } = await from(limit, offset);
          expect(entries.map(({ dlqId: id }) => id)).toEqual(all.slice(offset, offset + limit));
        }
      }
    };
    await walk((limit, offset) => stand.ledger.unknownOutcomes(limit, offset) as never);
    expect(await stand.ledger.summary()).toMatchObject({ open: 6, unknown: 6, oldestOpenAt: startOfTime });
    for (const ids of [[three, four], [two], last]) {
      await publish(stand, ids);
      await stand.advance(10);
    }
    await walk((limit, offset) => stand.ledger.pendingDeletes(limit, offset));
    await stand.advance(defaultLimits.settleGateAgeMs);
    expect(await stand.ledger.summary()).toMatchObject({ pendingDelete: 6, settleGate: "closed" });
  });

  test("is marked gone when no longer listed, and later if one of its ids was", async () => {
    await begin(stand, [one, two], a);
    await begin(stand, [three, four], b);
    await publish(stand, [one, two, three, four]);
    await stand.advance(1_000);
    const passStartedAt = stand.now();
    await stand.ledger.look([one, two]);
    await stand.advance(1_000);
    expect((await stand.ledger.markUnlistedGone(drain, passStartedAt)).count).toBe(2);
    const states = await statesOf(stand, [one, two, three, four]);
    expect(states).toEqual(["published", "published", "gone", "gone"]);
    expect((await stand.ledger.markUnlistedGone(drain, stand.now())).count).toBe(2);
  });

  test("has ids of any characters", async () => {
    const odd = ['a","b', "a", "b]", "[2,", "\\", "ü\n\u0000"] as DlqId[];
    await begin(stand, odd, a);
    expect((await publish(stand, odd)).verdicts).toEqual(odd.map(() => ({ kind: "recorded" })));
    expect((await stand.ledger.gone(odd.slice(0, 2))).count).toBe(2);
    expect((await stand.ledger.gone(odd)).count).toBe(odd.length);
    expect(await statesOf(stand, odd)).toEqual(odd.map(() => "gone"));
  });

  test("is of the ids that its token began first, each once", async () => {
    await begin(stand, [one, two], a);
    expect(await begin(stand, [three, four], a)).toMatchObject([{ kind: "begun" }, { kind: "begun" }]);
    expect(await begin(stand, [dlqId(5), dlqId(5)], b)).toMatchObject([{ kind: "begun" }, { kind: "begun" }]);
    expect(await begin(stand, [dlqId(6), one], c)).toMatchObject([{ kind: "begun" }, { kind: "in-flight" }]);
    expect(await stand.ledger.summary()).toMatchObject({ open: 6 });
  });
});

const entriesOf = async (connection: RedisConnection): Promise<readonly string[]> => {
  const { entryPrefix, batchPrefix } = sourceKeys(connection.keyPrefix, source);
  const found = await Promise.all(
    [entryPrefix, batchPrefix].map((prefix) => connection.command("KEYS", `${prefix}*`)),
  );
  return found.flat() as string[];
};
const withBatch = async () => {
  const connection = redis.fresh();
  const stand = await redisStand(connection);
  await begin(stand, [one, two], a);
  return { connection, stand };
};

describe("a batch in Redis", () => {
  test("is named by its token, and by its ids if a part of them is meant or another process began it", async () => {
    const { connection, stand } = await withBatch();
    let named = 0;
    const counted: RedisConnection = {
      ...stand.redis,
      run: (script, keys, args) => {
        const text = args.join();
        named += [one, two, three, four].filter((id) => text.includes(`"${id}"`)).length;
        return stand.redis.run(script, keys, args);
      },
    };
    const ledger = createRedisLedger(counted, source, defaultLimits, { epochSeed: () => "epoch" });
    await begin({ ...stand, ledger }, [three, four], b);
    const namedBy = async (act: () => Promise<unknown>): Promise<number> => {
      const before = named;
      await act();
      return named - before;
    };
    expect(await namedBy(() => ledger.published(factsOf([three, four])))).toBe(0);
    expect(await namedBy(() => ledger.published(factsOf([one, two])))).toBe(2);
    expect(await namedBy(() => ledger.gone([one, three, four]))).toBe(1);
    expect(await statesOf(stand, [one, two, three, four])).toEqual(["gone", "published", "gone", "gone"]);
    const batches = await connection.command(
      "KEYS",
      `${sourceKeys(connection.keyPrefix, source).batchPrefix}*`,
    );
    expect(batches).toHaveLength(1);
  });

  test("that was published as a whole is so under its first messages", async () => {
    const { stand } = await withBatch();
    await publish(stand, [one, two]);
    const facts = [one, two].map((id) => ({ ...publishedFact(id), as: messageId("second"), drain }));
    const { verdicts } = await stand.ledger.published(facts);
    expect(verdicts).toEqual([one, two].map((id) => ({ kind: "already", as: messageId(id) })));
  });

  test("is removed when its tombstones are due, and leaves nothing", async () => {
    const { connection, stand } = await withBatch();
    const odd = ['a","\\b', "a"] as DlqId[];
    await begin(stand, odd, b);
    await publish(stand, odd);
    await publish(stand, [one, two]);
    await stand.ledger.gone([one, two, ...odd]);
    const { parked } = sourceKeys(connection.keyPrefix, source);
    expect(await connection.command("ZRANGE", parked, 0, -1)).toEqual([]);
    await stand.advance(defaultLimits.tombstoneMs - 1_000);
    await stand.ledger.summary();
    expect(await statesOf(stand, [one, two])).toEqual(["gone", "gone"]);
    await stand.advance(1_000);
    await stand.ledger.summary();
    expect(await statesOf(stand, [one, two])).toEqual(["absent", "absent"]);
    expect(await entriesOf(connection)).toEqual([]);
  });

  test("lives on as a whole while one of its ids is listed, in each state", async () => {
    for (const state of ["open", "published", "gone"]) {
      const { stand } = await withBatch();
      if (state !== "open") await publish(stand, [one, two]);
      if (state === "gone") await stand.ledger.gone([one, two]);
      const life = state === "gone" ? defaultLimits.tombstoneMs : defaultLimits.retentionMs;
      for (let times = 0; times < 4; times += 1) {
        await stand.advance(life * 0.9);
        await stand.ledger.summary();
        await stand.ledger.look([two]);
        expect(await statesOf(stand, [one, two])).toEqual([state, state]);
      }
      await stand.advance(1.2 * life);
      expect(await stand.ledger.summary()).toMatchObject({ open: 0, pendingDelete: 0 });
      expect(await statesOf(stand, [one, two])).toEqual(["absent", "absent"]);
    }
  });

  test("whose record is lost is nobody's to act on", async () => {
    const { connection, stand } = await withBatch();
    await connection.command("DEL", `${sourceKeys(connection.keyPrefix, source).batchPrefix}${a}`);
    await stand.advance(takeoverMs + 1);
    expect(await begin(stand, [one, two], b)).toEqual([{ kind: "other-version" }, { kind: "other-version" }]);
    expect(await statesOf(stand, [one, two])).toEqual(["other-version", "other-version"]);
    expect(await stand.ledger.summary()).toMatchObject({ open: 0, unknown: 0 });
  });

  test("is known for a whole retention from its publication on", async () => {
    const { stand } = await withBatch();
    await stand.advance(defaultLimits.retentionMs * 0.9);
    await publish(stand, [one, two]);
    await stand.advance(defaultLimits.retentionMs * 0.9);
    expect(await statesOf(stand, [one, two])).toEqual(["published", "published"]);
  });
});
