import { describe, expect, test } from "vitest";
import {
  parkAs,
  factOf,
  begin,
  defaultLimits,
  dlqId,
  drain,
  standsOn,
  takeoverMs,
  token,
} from "../../../../support/ledger-stands.ts";
import { useRedis } from "../../../../support/redis.ts";

const redis = useRedis();
const create = standsOn(redis);
const [a] = [token("a")];

const published = (n: number) => factOf(dlqId(n), `p${n}`);

describe("peek", () => {
  test("says of every state what a look says", async () => {
    const stand = await create();
    const { ledger } = stand;
    await begin(stand, [dlqId(1), dlqId(2), dlqId(3), dlqId(4)], a);
    await ledger.refused([{ dlqId: dlqId(2), outcome: "refused", coolMs: 60_000 }], a);
    await parkAs(stand, dlqId(3), "refused", a);
    await ledger.published([published(4), published(5)]);
    await ledger.gone([dlqId(5)]);
    await stand.advance(takeoverMs + 1);
    const ids = [0, 1, 2, 3, 4, 5].map(dlqId);
    const { views } = await ledger.peek(ids);
    expect(views.map(({ state }) => state)).toEqual([
      "absent",
      "open",
      "cool",
      "parked",
      "published",
      "gone",
    ]);
    expect(views).toEqual((await ledger.look(ids)).views);
  });

  test("keeps nothing alive and is no listing: a published entry expires, and a full pass makes it gone", async () => {
    const stand = await create();
    const { ledger } = stand;
    await ledger.published([published(1), published(2)]);
    await stand.advance(1_000);
    const passStartedAt = stand.now();
    await ledger.peek([dlqId(1)]);
    await ledger.look([dlqId(2)]);
    expect((await ledger.markUnlistedGone(drain, passStartedAt)).count).toBe(1);
    expect((await ledger.peek([dlqId(1), dlqId(2)])).views.map(({ state }) => state)).toEqual([
      "gone",
      "published",
    ]);

    await parkAs(stand, dlqId(3), "refused");
    await stand.advance(defaultLimits.retentionMs - 1_000);
    await ledger.peek([dlqId(3)]);
    await stand.advance(1_001);
    expect((await ledger.peek([dlqId(3)])).views).toEqual([{ state: "absent" }]);
  });
});
