import { beforeEach, describe, expect, test } from "vitest";
import {
  after,
  begun,
  lookAt,
  factOf,
  begin,
  beginAnswer,
  defaultLimits,
  dlqId,
  drain,
  horizonMs,
  messageId,
  otherDrain,
  standsOn,
  startOfTime,
  takeoverMs,
  token,
} from "../../../../support/ledger-stands.ts";

const create = standsOn();
const [a, b, c] = [token("a"), token("b"), token("c")];
const id = dlqId(1);

let stand: Awaited<ReturnType<typeof create>>;
beforeEach(async () => {
  stand = await create();
});

describe("begin", () => {
  test("an unknown record is begun: first POST of the plain id, now", async () => {
    expect(await begin(stand, id, a)).toEqual([begun()]);
    const { views } = await stand.ledger.look([id, dlqId(2)]);
    expect(views).toEqual([
      {
        state: "open",
        drain,
        series: begun().series,
        lastAt: startOfTime,
        attempt: 0,
        messageId: messageId(id),
        unknown: false,
        released: false,
        pastHorizon: false,
      },
      { state: "absent" },
    ]);
  });

  test("the same token asking again is told the same, and nothing changes", async () => {
    const first = await begin(stand, id, a);
    await stand.advance(10_000);
    expect(await begin(stand, id, a)).toEqual(first);
    expect(await lookAt(stand, id)).toMatchObject({ state: "open", lastAt: startOfTime });
  });

  test("what a lost worker has begun waits for nobody, and what was begun since does", async () => {
    await begin(stand, [id, dlqId(2)], a);
    await stand.advance(10_000);
    const workerLostAt = stand.now();
    await begin(stand, dlqId(3), b);
    const isUnknown = async (...at: readonly number[]) =>
      (await stand.ledger.look([id, dlqId(3)], ...at)).views.map(
        (view) => view.state === "open" && view.unknown,
      );
    expect(await isUnknown()).toEqual([false, false]);
    expect(await isUnknown(workerLostAt)).toEqual([true, false]);
    expect(await begin(stand, [id, dlqId(3)], c)).toEqual([{ kind: "in-flight" }, { kind: "in-flight" }]);
    expect(await begin(stand, [id, dlqId(3)], c, { workerLostAt })).toEqual([
      begun({ posts: 2 }),
      { kind: "in-flight" },
    ]);
    const parking = { reason: "unworkable", attempt: 0 } as const;
    const by = { drain, rulesHash: "h", token: null };
    const park = async (one: typeof id, more: { readonly workerLostAt?: number } = {}) =>
      (await stand.ledger.park([{ dlqId: one, ...parking }], { ...by, ...more })).verdicts;
    expect(await park(dlqId(2))).toEqual([{ kind: "not-yours" }]);
    expect(await park(dlqId(2), { workerLostAt })).toEqual([{ kind: "parked" }]);
    expect(await park(dlqId(3), { workerLostAt })).toEqual([{ kind: "not-yours" }]);
  });

  test("another token waits until takeoverAfter has passed, then continues the series without renewing firstAt", async () => {
    await begin(stand, id, a);
    await stand.advance(takeoverMs);
    expect(await begin(stand, id, b)).toEqual([{ kind: "in-flight" }]);
    await stand.advance(1);
    expect(await begin(stand, id, b)).toEqual([begun({ posts: 2 })]);
    expect(await begin(stand, id, a)).toEqual([{ kind: "in-flight" }]);
    await stand.advance(takeoverMs + 1);
    expect(await begin(stand, id, c)).toMatchObject([{ series: { firstAt: startOfTime, posts: 3 } }]);
  });

  test("the last moment of the horizon still belongs to the series, the next does not", async () => {
    await begin(stand, [id, dlqId(2)], a);
    await stand.advance(horizonMs);
    expect(await begin(stand, id, b)).toMatchObject([{ kind: "begun", series: { posts: 2 } }]);
    await stand.advance(1);
    expect(await begin(stand, dlqId(2), b)).toEqual([{ kind: "past-horizon" }]);
    expect(await lookAt(stand, dlqId(2))).toMatchObject({
      state: "open",
      series: { posts: 1 },
      lastAt: startOfTime,
    });
  });

  test("past the horizon a new series is a declared double under the next suffix", async () => {
    await begin(stand, id, a);
    await stand.advance(horizonMs + 1);
    const series = { suffix: 2, firstAt: startOfTime + horizonMs + 1, doubts: 1 };
    const verdict = begun(series, "unknown-outcome-past-window");
    expect(await begin(stand, id, b, { pastHorizon: "new-series" })).toEqual([verdict]);
    // So do the repeat, and the takeover after it: whichever POST is proven accepted, it may be the second
    // message.
    expect(await begin(stand, id, b, { pastHorizon: "new-series" })).toEqual([verdict]);
    await stand.advance(takeoverMs + 1);
    expect(await begin(stand, id, c)).toMatchObject([
      { series: { suffix: 2, posts: 2 }, declaredDouble: "unknown-outcome-past-window" },
    ]);
  });

  test("the worker that holds a record posts again at once, keeping firstAt, and its old token is spent", async () => {
    await begin(stand, id, a);
    await stand.advance(1_000);
    expect(await begin(stand, id, b, after(a, "unknown"))).toEqual([begun({ posts: 2 })]);
    await stand.advance(1_000);
    // Beside the unanswered POST the refusal ends nothing.
    const third = [begun({ posts: 3, refusals: 1 })];
    expect(await begin(stand, id, c, after(b, "refused"))).toEqual(third);
    expect(await begin(stand, id, token("d"), after(c, "not-sent"))).toEqual(third);
    expect(await begin(stand, id, b, after(a, "unknown"))).toEqual([{ kind: "in-flight" }]);
  });

  test("a retry past the horizon is not begun, and what became of the POST is counted once", async () => {
    await begin(stand, id, a);
    await begin(stand, id, b, after(a, "unknown"));
    await stand.advance(horizonMs + 1);
    const retry = after(b, "refused");
    expect(await begin(stand, id, c, retry)).toEqual([{ kind: "past-horizon" }]);
    expect(await begin(stand, id, c, retry)).toEqual([{ kind: "past-horizon" }]);
    expect(await lookAt(stand, id)).toMatchObject({ state: "open", series: { posts: 2, refusals: 1 } });
  });

  test("a retry begins nothing that the token does not hold", async () => {
    const retry = after(a, "unknown");
    await begin(stand, dlqId(2), c);
    await stand.advance(takeoverMs + 1);
    expect(await begin(stand, [id, dlqId(2)], b, retry)).toEqual([
      { kind: "in-flight" },
      { kind: "in-flight" },
    ]);
    expect(await lookAt(stand, id)).toEqual({ state: "absent" });
  });

  test("a page as old as allowed may begin, an older one begins nothing", async () => {
    const pageReadAt = stand.now();
    await stand.advance(defaultLimits.maxPageAgeMs);
    expect(await begin(stand, id, a, { pageReadAt })).toMatchObject([{ kind: "begun" }]);
    await stand.advance(1);
    expect(await beginAnswer(stand, dlqId(2), a, { pageReadAt })).toMatchObject({ kind: "page-too-old" });
    expect(await lookAt(stand, dlqId(2))).toEqual({ state: "absent" });
  });

  test("a pause of the drain or of all stops begin until it is lifted; another drain's does not", async () => {
    const record = { reason: "maintenance", by: "ann", at: 1 };
    await stand.pauses.pause({ ...record, drain: otherDrain });
    expect(await begin(stand, id, a)).toMatchObject([{ kind: "begun" }]);
    await stand.pauses.pause({ ...record, drain });
    expect(await beginAnswer(stand, dlqId(2), b)).toMatchObject({ kind: "paused" });
    expect(await stand.pauses.resume({ drain })).toBe(true);
    expect(await begin(stand, dlqId(2), b)).toMatchObject([{ kind: "begun" }]);
    await stand.pauses.pause({ ...record, drain: "*" });
    expect(await beginAnswer(stand, dlqId(3), c)).toMatchObject({ kind: "paused" });
    expect(await stand.pauses.all()).toHaveLength(2);
    expect(await stand.pauses.resume({ drain })).toBe(false);
  });

  test("the settle gate closes on a deletion that is pending too long and opens when it is gone", async () => {
    const fact = factOf(id, "x");
    await stand.ledger.published([fact]);
    await stand.advance(defaultLimits.settleGateAgeMs);
    expect(await begin(stand, dlqId(2), a)).toMatchObject([{ kind: "begun" }]);
    await stand.advance(1);
    expect(await beginAnswer(stand, dlqId(3), b)).toMatchObject({ kind: "settle-gate" });
    expect(await stand.ledger.summary()).toMatchObject({ settleGate: "closed" });
    await stand.ledger.gone([id]);
    expect(await begin(stand, dlqId(3), b)).toMatchObject([{ kind: "begun" }]);
  });

  test("the settle gate closes on more failed deletions than allowed", async () => {
    const stand = await create({ ...defaultLimits, settleGateFailedDeletes: 1 });
    const facts = [1, 2].map((n) => factOf(dlqId(n), `x${n}`));
    await stand.ledger.published(facts);
    await stand.ledger.deleteFailed([dlqId(1)]);
    expect(await begin(stand, dlqId(3), a)).toMatchObject([{ kind: "begun" }]);
    await stand.ledger.deleteFailed([dlqId(2)]);
    expect(await beginAnswer(stand, dlqId(4), b)).toMatchObject({ kind: "settle-gate" });
  });

  test("the settle gate lets through what asks again for an unknown outcome, up to its horizon, and nothing beside it", async () => {
    await begin(stand, id, a);
    const fact = factOf(dlqId(2), "x");
    await stand.ledger.published([fact]);
    await stand.advance(defaultLimits.settleGateAgeMs + 1);
    expect(await beginAnswer(stand, dlqId(3), b)).toMatchObject({ kind: "settle-gate" });
    expect(await begin(stand, [id, dlqId(3)], b)).toMatchObject([
      { kind: "begun", series: { suffix: 1, firstAt: startOfTime, posts: 2 } },
      { kind: "in-flight" },
    ]);
    await stand.advance(horizonMs);
    expect(await beginAnswer(stand, id, c, { pastHorizon: "new-series" })).toMatchObject({
      kind: "settle-gate",
    });
  });

  test("a retry and a repeat pass page age, pause and settle gate; what they do not hold stays unbegun", async () => {
    await begin(stand, id, a);
    const pageReadAt = stand.now() - defaultLimits.maxPageAgeMs - 1;
    await stand.pauses.pause({ drain: "*", reason: "stop", by: "ann", at: 1 });
    expect(await begin(stand, [id, dlqId(2)], a, { pageReadAt })).toMatchObject([
      { kind: "begun", series: { posts: 1 } },
      { kind: "in-flight" },
    ]);
    expect(await begin(stand, id, b, { pageReadAt, ...after(a, "unknown") })).toMatchObject([
      { kind: "begun", series: { posts: 2 } },
    ]);
    expect(await beginAnswer(stand, id, c, { pageReadAt })).toMatchObject({ kind: "page-too-old" });
  });

  test("nothing asked is nothing answered", async () => {
    expect(await begin(stand, [], a)).toEqual([]);
    expect((await stand.ledger.look([])).views).toEqual([]);
    expect((await stand.ledger.published([])).verdicts).toEqual([]);
  });
});
