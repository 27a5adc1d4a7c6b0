/** What is begun by the service's own retry: what is listed after it was not published by it. */
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
} from "../../../../support/ledger-stands.ts";
import { useRedis } from "../../../../support/redis.ts";

const redis = useRedis();
const create = standsOn(redis);
const [a, b] = [token("a"), token("b")];
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
