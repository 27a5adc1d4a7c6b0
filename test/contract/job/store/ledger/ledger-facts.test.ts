import { beforeEach, describe, expect, test } from "vitest";
import { defined } from "../../../../../src/job/message/defined.ts";
import type { DlqId } from "../../../../../src/job/message/dead-letter.ts";
import {
  parkAs,
  factOf,
  begin,
  defaultLimits,
  dlqId,
  drain,
  messageId,
  otherDrain,
  standsOn,
  startOfTime,
  takeoverMs,
  token,
} from "../../../../support/ledger-stands.ts";

const create = standsOn();
const [a, b] = [token("a"), token("b")];
const id = dlqId(1);

type Stand = Awaited<ReturnType<typeof create>>;
let stand: Stand;
let ledger: Stand["ledger"];
beforeEach(async () => {
  stand = await create();
  ({ ledger } = stand);
});

type DlqIds = [DlqId, DlqId, DlqId, DlqId, DlqId, DlqId];

describe("facts", () => {
  test("a publication is recorded from every state but gone, by anybody, and the first message stays", async () => {
    const [absent, cool, open, parked, archived, gone] = [1, 2, 3, 4, 5, 6].map(dlqId) as DlqIds;
    await begin(stand, [cool, open, parked], a);
    await ledger.refused([{ dlqId: cool, outcome: "refused", coolMs: 60_000 }], a);
    await parkAs(stand, parked, "refused", a);
    await begin(stand, archived, b, { act: "drop" });
    await ledger.archived([archived], "file-1", b);
    await ledger.published([factOf(gone, "first")]);
    await ledger.gone([gone]);

    const all = [absent, cool, open, parked, archived, gone];
    const { verdicts } = await ledger.published(all.map((one) => factOf(one, "first")));
    expect(verdicts.map(({ kind }) => kind)).toEqual([...Array(5).fill("recorded"), "gone"]);
    const again = await ledger.published(all.map((one) => factOf(one, "second")));
    expect(again.verdicts).toEqual([
      ...Array.from({ length: 5 }, () => ({ kind: "already", as: messageId("first") })),
      { kind: "gone", as: messageId("first") },
    ]);
    const { views } = await ledger.look(all);
    expect(views.map(({ state }) => state)).toEqual([...Array(5).fill("published"), "gone"]);
  });

  test("a tombstone remembers what was published, and of a drop that nothing was", async () => {
    await begin(stand, id, a, { act: "drop" });
    await ledger.archived([id], "file-1", a);
    await ledger.gone([id]);
    for (const text of ["late", "later"]) {
      expect((await ledger.published([factOf(id, text)])).verdicts).toEqual([{ kind: "gone" }]);
    }
  });

  test("a published entry knows the dead letter's message, also when the fact does not", async () => {
    await begin(stand, id, a);
    await ledger.published([factOf(id, "x")]);
    expect((await ledger.look([id])).views).toEqual([
      {
        state: "published",
        as: messageId("x"),
        drain,
        at: startOfTime,
        deleteFailed: false,
        maybeGone: false,
        isBeingDeleted: true,
        datesAgree: false,
        messageId: messageId(id),
      },
    ]);
  });

  test("whoever published it is about to delete it, until takeover, its loss, a failed delete or evidence that it is old", async () => {
    const ids = [id, dlqId(2), dlqId(3)];
    await begin(stand, ids, a);
    await ledger.published(ids.slice(0, 2).map((one) => factOf(one, "x")));
    await ledger.published([factOf(dlqId(3), "y", { deletePending: false, namedBy: token("page") })]);
    // The views of a page, and the verdicts of a begin.
    const being = async (workerLostAt?: number) => {
      const views = (await ledger.look(ids, workerLostAt)).views.map(
        (view) => view.state === "published" && view.isBeingDeleted,
      );
      const verdicts = await begin(stand, ids, b, defined({ workerLostAt }));
      expect(verdicts.map((one) => one.kind === "published" && one.isBeingDeleted === true)).toEqual(views);
      return views;
    };
    expect(await being()).toEqual([true, true, false]);
    expect(await being(stand.now())).toEqual([true, true, false]);
    expect(await being(stand.now() + 1)).toEqual([false, false, false]);
    await ledger.deleteFailed([dlqId(2)]);
    expect(await being()).toEqual([true, false, false]);
    await stand.advance(takeoverMs + 1);
    expect(await being()).toEqual([false, false, false]);
  });

  test("evidence from a come-back is remembered and not pending until it is listed again", async () => {
    const before = await ledger.published([factOf(id, "x", { deletePending: false })]);
    expect(before).toMatchObject({ verdicts: [{ kind: "recorded" }], lastAcceptedAt: null });
    expect((await ledger.pendingDeletes(10, 0)).entries).toEqual([]);
    await stand.advance(86_400_000);
    await ledger.published([factOf(id, "x")]);
    expect((await ledger.pendingDeletes(10, 0)).entries).toMatchObject([{ dlqId: id }]);
    // It has been pending only since now, so the settle gate stays open.
    expect(await ledger.summary()).toMatchObject({ oldestPendingAt: stand.now(), settleGate: "open" });
  });

  test("an acceptance is remembered for the source, and ends a row of single refusals", async () => {
    await begin(stand, [dlqId(2), dlqId(3)], a);
    const refusals = [2, 3].map((n) => ({ dlqId: dlqId(n), outcome: "refused-alone", coolMs: 1 }) as const);
    expect(await ledger.refused(refusals, a)).toMatchObject({ refusedAloneInARow: 2, lastAcceptedAt: null });
    await stand.advance(7);
    expect(await ledger.published([factOf(id, "x")])).toMatchObject({
      refusedAloneInARow: 0,
      lastAcceptedAt: startOfTime + 7,
    });
  });

  test("only an open drop of the token is archived; begin then says so", async () => {
    await begin(stand, id, a, { act: "drop" });
    await begin(stand, dlqId(2), a);
    const asked = [id, dlqId(2), dlqId(3)];
    expect((await ledger.archived(asked, "f", b)).verdicts).toEqual(["not-yours", "not-yours", "not-yours"]);
    expect((await ledger.archived(asked, "f", a)).verdicts).toEqual(["recorded", "not-yours", "not-yours"]);
    expect(await begin(stand, id, b)).toEqual([{ kind: "archived" }]);
    expect((await ledger.pendingDeletes(10, 0)).entries).toMatchObject([
      { dlqId: id, view: { state: "archived", file: "f", drain, at: startOfTime, messageId: messageId(id) } },
    ]);
  });

  test("a delete that failed is pending, of what was not to be deleted too", async () => {
    await ledger.published([factOf(id, "x", { deletePending: false })]);
    await ledger.deleteFailed([id, dlqId(2)]);
    expect(await ledger.summary()).toMatchObject({ failedDeletes: 1, pendingDelete: 1 });
  });

  test.each([
    ["failed", { deleteFailed: true, maybeGone: false }, 1],
    ["unanswered", { deleteFailed: true, maybeGone: true }, 1],
    ["short", { deleteFailed: false, maybeGone: true }, 0],
  ] as const)(
    "a deletion that is %s says whether it may be gone, and whether it counts",
    async (how, flags, failed) => {
      await ledger.published([factOf(id, "x")]);
      await ledger.deleteFailed([id], how);
      expect((await ledger.pendingDeletes(10, 0)).entries).toMatchObject([{ view: flags }]);
      expect(await ledger.summary()).toMatchObject({ failedDeletes: failed, pendingDelete: 1 });
      // What was looked for and is still there may be deleted again at once; that it failed once stays.
      await ledger.deleteFailed([id], "short");
      await ledger.deleteFailed([id], "failed");
      expect((await ledger.pendingDeletes(10, 0)).entries).toMatchObject([
        { view: { deleteFailed: true, maybeGone: false } },
      ]);
      await ledger.deleteFailed([id], "short");
      expect(await ledger.summary()).toMatchObject({ failedDeletes: 1, pendingDelete: 1 });
      await ledger.gone([id]);
      expect(await ledger.summary()).toMatchObject({ failedDeletes: 0, pendingDelete: 0 });
    },
  );

  test("after a full pass, what is pending for that drain and was not listed since is gone", async () => {
    await ledger.published([
      factOf(dlqId(1), "unlisted"),
      factOf(dlqId(2), "listed"),
      factOf(dlqId(3), "other", { drain: otherDrain }),
    ]);
    await stand.advance(1_000);
    const passStartedAt = stand.now();
    await ledger.look([dlqId(2)]);
    await ledger.published([factOf(dlqId(4), "during the pass")]);
    expect((await ledger.markUnlistedGone(drain, passStartedAt)).count).toBe(1);
    const { views } = await ledger.look([1, 2, 3, 4].map(dlqId));
    expect(views.map(({ state }) => state)).toEqual(["gone", "published", "published", "published"]);
  });

  test("what only a come-back has proved gets its drain and message as its deletion fails, so that it can be proven gone", async () => {
    await ledger.published([factOf(id, "x", { deletePending: false, drain: null, messageId: null })]);
    await ledger.look([id]);
    await ledger.deleteFailed([id], "short");
    expect((await ledger.pendingDeletes(10, 0)).entries).toMatchObject([
      { view: { drain: null, messageId: null } },
    ]);
    await ledger.deleteFailed([id], "short", { drain, messageIds: [messageId(id)] });
    const known = { drain, messageId: messageId(id), maybeGone: true };
    expect((await ledger.pendingDeletes(10, 0)).entries).toMatchObject([{ view: known }]);
    // What is known already stays.
    await ledger.deleteFailed([id], "short", { drain: otherDrain, messageIds: [messageId("y")] });
    expect((await ledger.pendingDeletes(10, 0)).entries).toMatchObject([{ view: known }]);
    await stand.advance(1_000);
    expect((await ledger.markUnlistedGone(drain, stand.now())).count).toBe(1);
    expect(await ledger.summary()).toMatchObject({ pendingDelete: 0 });
  });

  test("a long list of what is gone is worked off to its end", async () => {
    const ids = Array.from({ length: 250 }, (_, n) => dlqId(n));
    for (let i = 0; i < ids.length; i += 50) {
      await ledger.published(ids.slice(i, i + 50).map((one) => factOf(one, `m${one}`)));
    }
    await stand.advance(1_000);
    expect((await ledger.markUnlistedGone(drain, stand.now())).count).toBe(250);
    expect(await ledger.summary()).toMatchObject({ pendingDelete: 0 });
  });

  test("a published entry that expires is pending no longer; being listed keeps it", async () => {
    await ledger.published([factOf(dlqId(1), "x"), factOf(dlqId(2), "y")]);
    await ledger.deleteFailed([dlqId(1)]);
    await stand.advance(defaultLimits.retentionMs - 60_000);
    await ledger.look([dlqId(2)]);
    await stand.advance(60_001);
    expect((await ledger.pendingDeletes(10, 0)).entries.map(({ dlqId }) => dlqId)).toEqual([dlqId(2)]);
    expect(await ledger.summary()).toMatchObject({ pendingDelete: 1, failedDeletes: 0 });
  });

  test("every write raises the sequence, asking does not, and the epoch stays", async () => {
    const first = await ledger.now();
    await begin(stand, id, a);
    const second = await ledger.now();
    expect(second).toMatchObject({ epoch: first.epoch, at: startOfTime });
    expect(second.sequence).toBeGreaterThan(first.sequence);
    await ledger.look([id]);
    await ledger.peek([id]);
    expect((await ledger.summary()).sequence).toBe(second.sequence);
    await ledger.published([factOf(id, "x")]);
    expect((await ledger.gone([id])).sequence).toBeGreaterThan(second.sequence);
  });
});
