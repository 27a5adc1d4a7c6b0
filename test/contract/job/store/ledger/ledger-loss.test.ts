import { describe, expect, test } from "vitest";
import { defaultLimits, dlqId, standsOn, startOfTime } from "../../../../support/ledger-stands.ts";
import { useRedis } from "../../../../support/redis.ts";

const redis = useRedis();
const create = standsOn(redis);

describe("a loss that was noticed", () => {
  test("is told with every answer from then on, and not before", async () => {
    const { ledger } = await create();
    expect((await ledger.now()).lost).toBeUndefined();
    const lost = { at: startOfTime, since: startOfTime - defaultLimits.settleGateAgeMs };
    expect(await ledger.recordLoss()).toMatchObject({ lost });
    expect(await ledger.now()).toMatchObject({ lost });
    expect(await ledger.look([dlqId(1)])).toMatchObject({ lost });
    expect(await ledger.peek([dlqId(1)])).toMatchObject({ lost });
    expect(await ledger.summary()).toMatchObject({ lost });
  });

  test("counts from the first of those that follow each other within the window, and is as late as the last", async () => {
    const { ledger, advance } = await create();
    const { dedupWindowMs, settleGateAgeMs } = defaultLimits;
    await ledger.recordLoss();
    await advance(dedupWindowMs);
    expect((await ledger.recordLoss()).lost).toEqual({
      at: startOfTime + dedupWindowMs,
      since: startOfTime - settleGateAgeMs,
    });
    await advance(dedupWindowMs + 1);
    const now = startOfTime + 2 * dedupWindowMs + 1;
    expect((await ledger.recordLoss()).lost).toEqual({ at: now, since: now - settleGateAgeMs });
  });

  test("counts from the oldest publication that was not settled, where that is older than the gate lets pend", async () => {
    const { ledger } = await create();
    const { settleGateAgeMs } = defaultLimits;
    const since = startOfTime - settleGateAgeMs;
    expect((await ledger.recordLoss(since + 1)).lost).toEqual({ at: startOfTime, since });
    expect((await ledger.recordLoss(since - 1)).lost).toEqual({ at: startOfTime, since: since - 1 });
    expect((await ledger.recordLoss()).lost).toEqual({ at: startOfTime, since: since - 1 });
  });
});
