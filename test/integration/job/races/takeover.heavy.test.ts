/** Races for one dead letter between a worker that stalls or dies and the one that takes over. */
import { describe, expect, it } from "vitest";
import type { DlqId } from "../../../../src/job/message/dead-letter.ts";
import { expectDrainedOnce } from "../../../support/accounts.ts";
import { createHold } from "../../../support/hold.ts";
import {
  deadAt,
  drainThat,
  horizonMs,
  type RaceStand,
  stallPage,
  takeoverMs,
  twoOn,
  useRaces,
  ways,
} from "../../../support/race-stand.ts";

const stand = useRaces();

const parking = drainThat("republish", "unknownOutcome: park");

const deletedTimes = ({ rig }: RaceStand, id: DlqId): number =>
  rig.emulator.journal.entries("deleted").filter(({ dlqIds }) => dlqIds.includes(id)).length;

describe("a worker whose POST was accepted stalls", () => {
  it.each(ways)(
    "R01 and another takes over by %s: it wakes with the message id in hand and records it without a token",
    async (_way, takeOver) => {
      const { race, a, b, id } = await twoOn(stand(), 1);
      const stalled = await stallPage(a, "publish", "after");
      await race.wait(takeoverMs + 1);
      const holding = await stallPage(b, "publish", "before", takeOver);
      expect(await race.states([id])).toEqual(["open"]);

      expect(await stalled.goOn()).toMatchObject({ tally: { republished: 1, deleted: 1 } });
      expect(await race.states([id])).toEqual(["gone"]);
      await holding.goOn();
      expect(await race.states([id])).toEqual(["gone"]);
      expect(deletedTimes(race, id)).toBe(1);
      expect(b.rig.eventsOf("double:found")).toEqual([]);
      await expectDrainedOnce(race.rig, 1);
    },
  );
});

describe("a worker dies between begin and POST", () => {
  it.each(ways)(
    "R04 and its intent outlives the lease: only after it another begins by %s, with the same id and the old firstAt",
    async (_way, takeOver) => {
      const { race, a, b, id } = await twoOn(stand(), 1);
      await stallPage(a, "publish", "before");
      const [begun] = (await race.ledger.peek([id])).views;
      await race.wait(takeoverMs);
      await takeOver(b);
      expect(race.posts).toEqual([]);

      await race.wait(1);
      const holding = await stallPage(b, "publish", "before", takeOver);
      const [taken] = (await race.ledger.peek([id])).views;
      if (begun?.state !== "open" || taken?.state !== "open") throw new Error("both are open");
      expect(taken.series).toEqual({ ...begun.series, posts: 2 });
      expect(taken.lastAt).toBe(begun.lastAt + takeoverMs + 1);
      await holding.goOn();
      expect(race.posts).toMatchObject([{ ids: [`redriver-${id}`] }]);
      await expectDrainedOnce(race.rig, 1);
    },
  );
});

describe("a worker is paused between the first byte of its POST and the check before the last", () => {
  it("R06 and another takes over meanwhile: the late batch is withheld, and the other's series stays as it is", async () => {
    const race = await stand({ settings: { "publish.maxBytes": "100MiB" } });
    const b = await race.worker();
    const hold = await createHold(race.rig.emulator.url, "POST /v2/batch");
    const a = await race.worker({
      settings: { "publish.maxBytes": "100MiB", "service.url": hold.url },
    });
    // More than the kernels take of a body that nobody reads.
    const ids = race.seed(30, { body: "x".repeat(600_000) });
    const paused = a.page();
    await hold.reached;
    await race.wait(takeoverMs + 1);
    const holding = await stallPage(b, "publish", "before");
    const before = (await race.ledger.peek(ids)).views;
    hold.release();
    expect(await paused).toMatchObject({ tally: { republished: 0, deleted: 0 } });
    // Its "not sent" comes from a token that is spent: it takes nothing back from the one who holds them now.
    expect((await race.ledger.peek(ids)).views).toEqual(before);
    expect(race.rig.emulator.journal.counts().accepted).toBe(0);
    expect(await holding.goOn()).toMatchObject({ tally: { republished: 30, deduplicated: 0 } });
    expect(race.rig.emulator.journal.counts()).toMatchObject({ accepted: 30, deduplicated: 0 });
    expect(race.rig.emulator.dlq.size).toBe(0);
  });
});

describe("no POST of one id begins later than the window allows", () => {
  it.each(ways)(
    "R08 taken over by %s: at the horizon the same id, a moment later none",
    async (_way, takeOver) => {
      for (const [lateMs, posts] of [
        [0, 2],
        [1, 1],
      ] as const) {
        const { race } = await deadAt(stand({ drain: parking }), 1, "publish", "after");
        await race.wait(horizonMs + lateMs);
        await takeOver(await race.worker());
        expect(race.posts).toHaveLength(posts);
        expect(new Set(race.posts.flatMap(({ ids }) => ids)).size).toBe(1);
        expect(race.rig.emulator.journal.counts().accepted).toBe(1);
      }
    },
  );

  it("R10 by the worker that holds the body: it stalls before its retry, and the retry is not made", async () => {
    const { race, a, b, id } = await twoOn(stand({ drain: parking }), 1);
    race.rig.emulator.faults.add({ kind: "drop-answer", operation: "batch", when: "after", count: 1 });
    const stalled = a.stop("begin", "before");
    stalled.release();
    const retry = a.stop("begin", "before");
    const late = a.page();
    await expect.poll(() => race.clock.pending()).toBe(1);
    await race.wait(1_500);
    await retry.reached;
    await race.wait(horizonMs);
    retry.release();
    expect(await late).toMatchObject({ tally: { republished: 0, inDoubt: 1 } });
    expect(race.posts).toHaveLength(1);
    await b.sweep();
    expect(await race.states([id])).toEqual(["parked"]);
  });

  it("R12 by a refusal in between: the series after it counts from its own first POST, and not from a later one", async () => {
    const race = await stand({ drain: parking });
    const a = await race.worker();
    const [id] = race.seed(2) as [DlqId];
    race.rig.emulator.faults.add({ kind: "status", operation: "batch", status: 400, count: 1 });
    const refused = a.stop("publish", "after");
    const died = a.stop("publish", "after");
    void a.page();
    await refused.reached;
    await race.wait(horizonMs - 1_000);
    refused.release();
    // The first half is accepted, and nobody hears of it.
    await died.reached;
    await race.wait(horizonMs - 1_000);
    const b = await race.worker();
    await b.page();
    // A hit proves what the first POST of the new series did: the refusal was of another id.
    const posts = race.posts.filter(({ ids }) => ids.includes(`redriver-${id}-2`));
    expect(posts).toHaveLength(2);
    expect(await race.states([id])).toEqual(["gone"]);
    expect(race.rig.emulator.journal.counts()).toMatchObject({ accepted: 1, deduplicated: 1 });
  });
});
