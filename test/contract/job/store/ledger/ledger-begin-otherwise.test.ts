/** What is begun in another way than from a listing in a batch: by the service's own retry, and from the archive. */
import { beforeEach, describe, expect, test } from "vitest";
import type { MessageId } from "../../../../../src/job/message/dead-letter.ts";
import {
  begin,
  beginAnswer,
  defaultLimits,
  dlqId,
  drain,
  horizonMs,
  messageId,
  publishedFact,
  standsOn,
  takeoverMs,
  token,
  type LedgerStand,
} from "../../../../support/ledger-stands.ts";

const create = standsOn();
const [a, b, c] = [token("a"), token("b"), token("c")];
const id = dlqId(1);
const via = { via: "service" } as const;
const left = { ...publishedFact(id), as: null, deletePending: false, drain, messageId: messageId(id) };
const message = "msg_new" as MessageId;

let stand: Awaited<ReturnType<typeof create>>;
beforeEach(async () => {
  stand = await create();
});

describe("begin by the service's own retry", () => {
  test("is begun again at any time, and declares no double", async () => {
    await begin(stand, id, a, via);
    await stand.advance(horizonMs + 1);
    const [view] = (await stand.ledger.look([id])).views;
    expect(view).toMatchObject({ state: "open", via: "service", unknown: true, pastHorizon: false });
    const begun = { kind: "begun", declaredDouble: false, series: { posts: 2 } };
    expect(await begin(stand, id, b, via)).toMatchObject([begun]);
  });

  test("is begun in a batch only if a later page lists it", async () => {
    await begin(stand, id, a, via);
    await stand.advance(takeoverMs + 1);
    const before = stand.now() - takeoverMs;
    expect(await begin(stand, id, b, { pageReadAt: before })).toEqual([{ kind: "in-flight" }]);
    expect(await begin(stand, id, b)).toMatchObject([{ kind: "begun", series: { suffix: 1, posts: 1 } }]);
  });

  test("after a batch in doubt is a double, and says so", async () => {
    await begin(stand, id, a);
    await stand.advance(takeoverMs + 1);
    expect(await begin(stand, id, b, via)).toEqual([{ kind: "past-horizon" }]);
    const declaredDouble = "unknown-outcome-past-window";
    expect(await begin(stand, id, b, { ...via, pastHorizon: "new-series" })).toMatchObject([
      { declaredDouble },
    ]);
  });

  test("waits for the settle gate and for pauses like a first POST", async () => {
    await begin(stand, id, a, via);
    await stand.ledger.published([publishedFact(dlqId(2))]);
    await stand.advance(defaultLimits.settleGateAgeMs + 1);
    expect(await beginAnswer(stand, id, b, via)).toMatchObject({ kind: "settle-gate" });
  });
});

describe("the fact that it is gone without an answer", () => {
  test("counts the redrive, and lets it go again if it is listed after all", async () => {
    await begin(stand, id, a, via);
    await stand.ledger.published([left]);
    expect((await stand.ledger.look([id])).views[0]).toMatchObject({ state: "cool", attempt: 1 });
    expect(await stand.ledger.summary()).toMatchObject({ open: 0, pendingDelete: 0 });
    expect(await begin(stand, id, b, via)).toMatchObject([{ kind: "begun", series: { posts: 1 } }]);
  });

  test("changes nothing that was begun in a batch, or is published", async () => {
    await begin(stand, id, a);
    await stand.ledger.published([left]);
    expect((await stand.ledger.look([id])).views[0]).toMatchObject({ state: "open" });
    await stand.ledger.published([publishedFact(id)]);
    await stand.ledger.published([left]);
    expect((await stand.ledger.look([id])).views[0]).toMatchObject({ state: "published" });
  });
});

test("a lineage is kept under its message's id, and its dead letter waits for no delete", async () => {
  await begin(stand, id, a, via);
  await stand.ledger.published([{ ...left, as: message, lineage: "eyJ" }]);
  expect(await stand.ledger.sentAs([messageId(id), message])).toMatchObject({ lineages: [false, "eyJ"] });
  expect(await stand.ledger.summary()).toMatchObject({ open: 0, pendingDelete: 0 });
});

const archivedForMs = 4 * Math.max(defaultLimits.retentionMs, defaultLimits.tombstoneMs);
const publishedAgain = {
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
    await stand.ledger.published([publishedAgain]);
    expect(await begin(stand, id, a, { archivedForMs })).toMatchObject([{ kind: "published" }]);
    expect(await stand.ledger.summary()).toMatchObject({ pendingDelete: 0 });
  });

  test("is remembered as long as the archive keeps it, listed or not, gone or not", async () => {
    for (const end of ["published", "gone"] as const) {
      const stand = await create();
      await drop(stand);
      await begin(stand, id, b, { archivedForMs });
      await stand.ledger.published([{ ...publishedAgain, deletePending: end === "gone" }]);
      if (end === "gone") await stand.ledger.gone([id]);
      await stand.ledger.look([id]);
      await stand.advance(archivedForMs - 1_000);
      expect(await begin(stand, id, c, { archivedForMs })).toMatchObject([{ kind: end }]);
      await stand.advance(archivedForMs);
      expect((await stand.ledger.peek([id])).views).toEqual([{ state: "absent" }]);
    }
  });

  test("stays known while it is parked or in doubt past its horizon", async () => {
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
