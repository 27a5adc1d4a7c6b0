import { describe, expect, test } from "vitest";
import {
  begin,
  defaultLimits,
  dlqId,
  drain,
  messageId,
  horizonMs,
  standsOn,
  takeoverMs,
  token,
  type LedgerStand,
} from "../../../../support/ledger-stands.ts";
import { useRedis } from "../../../../support/redis.ts";

const redis = useRedis();
const create = standsOn(redis);
const [a, b, c] = [token("a"), token("b"), token("c")];
const id = dlqId(1);
const archivedForMs = 4 * Math.max(defaultLimits.retentionMs, defaultLimits.tombstoneMs);
const published = {
  dlqId: id,
  as: messageId("again"),
  attempt: 1,
  deletePending: false,
  drain,
  messageId: messageId(id),
};

async function drop(stand: LedgerStand): Promise<void> {
  await begin(stand, id, a, { act: "drop" });
  await stand.ledger.archived([id], "file-1", a);
  await stand.ledger.gone([id]);
}

describe("what the archive alone has", () => {
  test("is begun from the tombstone of its drop, or forgotten, by nobody else and once", async () => {
    const stand = await create();
    await drop(stand);
    expect(await begin(stand, id, b)).toEqual([{ kind: "gone" }]);
    const first = await begin(stand, [id, dlqId(2)], b, { archivedForMs });
    expect(first).toMatchObject([
      { kind: "begun", series: { suffix: 1, posts: 1, doubts: 0 }, declaredDouble: false },
      { kind: "begun" },
    ]);
    expect(await begin(stand, id, c, { archivedForMs })).toEqual([{ kind: "in-flight" }]);
    await stand.advance(takeoverMs + 1);
    // In doubt it goes on under the same id.
    expect(await begin(stand, id, c, { archivedForMs })).toMatchObject([{ series: { suffix: 1, posts: 2 } }]);
    await stand.ledger.published([published]);
    expect(await begin(stand, id, a, { archivedForMs })).toMatchObject([{ kind: "published" }]);
    expect(await stand.ledger.summary()).toMatchObject({ pendingDelete: 0 });
  });

  test("is remembered as long as the archive keeps it, listed or not, gone or not", async () => {
    for (const end of ["published", "gone"] as const) {
      const stand = await create();
      await drop(stand);
      await begin(stand, id, b, { archivedForMs });
      await stand.ledger.published([{ ...published, deletePending: end === "gone" }]);
      if (end === "gone") await stand.ledger.gone([id]);
      await stand.ledger.look([id]);
      await stand.advance(archivedForMs - 1_000);
      expect(await begin(stand, id, c, { archivedForMs })).toMatchObject([{ kind: end }]);
      await stand.advance(archivedForMs);
      expect((await stand.ledger.peek([id])).views).toEqual([{ state: "absent" }]);
    }
  });

  test("stays known while it is parked or in doubt past its horizon", async () => {
    const stand = await create();
    await drop(stand);
    await begin(stand, id, b, { archivedForMs });
    await stand.advance(horizonMs + 1);
    expect(await begin(stand, id, c, { archivedForMs })).toEqual([{ kind: "past-horizon" }]);
    await stand.ledger.park([{ dlqId: id, reason: "vanished", attempt: 1 }], {
      drain,
      rulesHash: "rules",
      token: null,
    });
    await stand.advance(archivedForMs - 1_000);
    expect(await begin(stand, id, c, { archivedForMs })).toMatchObject([{ kind: "parked" }]);
  });

  test("takes a suffix of its own after a POST before the drop, and declares what that may double", async () => {
    const refused = await create();
    await begin(refused, id, a);
    await refused.ledger.refused([{ dlqId: id, outcome: "refused", coolMs: 0 }], a);
    await drop(refused);
    expect(await begin(refused, id, b, { archivedForMs })).toMatchObject([
      { series: { suffix: 2, refusals: 0 }, declaredDouble: false },
    ]);
    const inDoubt = await create();
    await begin(inDoubt, id, b);
    await inDoubt.advance(takeoverMs + 1);
    await drop(inDoubt);
    expect(await begin(inDoubt, id, b, { archivedForMs })).toMatchObject([
      { series: { suffix: 2, doubts: 1 }, declaredDouble: "unknown-outcome-past-window" },
    ]);
  });
});
