/**
 * Races between what a page says and what has become of its records since, and between those who settle them.
 */
import { describe, expect, it } from "vitest";
import { runPassInProcess } from "../../../../src/job/pass/drain-in-process.ts";
import { expectDrainedOnce } from "../../../support/accounts.ts";
import {
  deadAt,
  type RaceStand,
  stallPage,
  takeoverMs,
  twoOn,
  useRaces,
} from "../../../support/race-stand.ts";

const stand = useRaces();

const never = new AbortController().signal;

const deletesOf = ({ rig }: RaceStand): number =>
  rig.emulator.journal.entries("request").filter(({ operation }) => operation === "delete").length;

const postsOf = ({ posts }: RaceStand): number => posts.length;

describe("a page is in the hands of a worker that stalls", () => {
  it("R17 until its record was published, deleted and its tombstone forgotten: it begins nothing", async () => {
    const { race, a, b, ids } = await twoOn(stand(), 2);
    const stale = await a.list();
    await b.page();
    expect(await race.states(ids)).toEqual(["gone", "gone"]);
    const { tombstoneMs, maxPageAgeMs } = race.ledger.limits;
    expect(tombstoneMs).toBeGreaterThan(maxPageAgeMs);
    await race.forget(ids);
    await race.wait(tombstoneMs);
    expect(await a.work(stale)).toMatchObject({
      tally: { republished: 0, deleted: 0, reasons: { due: { "page-too-old": 2 } } },
    });
    expect(await race.states(ids)).toEqual(["absent", "absent"]);
    await expectDrainedOnce(race.rig, 2);
  });

  it("R19 between look and begin, while another publishes: begin says so, and it neither posts nor deletes", async () => {
    const { race, a, b, ids } = await twoOn(stand(), 2);
    const stalled = await stallPage(a, "begin", "before");
    await b.page();
    expect(await stalled.goOn()).toMatchObject({ tally: { republished: 0, parked: 0, inDoubt: 0 } });
    expect(postsOf(race)).toBe(1);
    expect(deletesOf(race)).toBe(1);
    expect(await race.states(ids)).toEqual(["gone", "gone"]);
    await expectDrainedOnce(race.rig, 2);
  });

  it("R20 of a sweep, while a pass settles what it found: nothing is published again", async () => {
    const { race } = await deadAt(stand(), 2, "publish", "after");
    await race.wait(takeoverMs + 1);
    const [sweeper, b] = [await race.worker(), await race.worker()];
    const stalled = await stallPage(sweeper, "look", "before", ({ sweep }) => sweep());
    await b.page();
    await stalled.goOn();
    expect(postsOf(race)).toBe(2);
    await expectDrainedOnce(race.rig, 2);
  });
});

describe("two replicas list the same page at once", () => {
  it("R21 one begins, the other holds it in flight, and the first alone settles", async () => {
    const { race, a, b, ids } = await twoOn(stand(), 3);
    const pages = [await a.list(), await b.list()] as const;
    const posting = a.stop("publish", "before");
    const first = a.work(pages[0]);
    await posting.reached;
    const begins = b.stop("begin", "before");
    const second = b.work(pages[1]);
    // It looked while they were open; begin is asked only for what is not.
    expect(await Promise.race([second, begins.reached])).toMatchObject({ tally: { republished: 0 } });
    const deleting = a.stop("remove", "before");
    posting.release();
    await deleting.reached;
    expect(await b.work(pages[1])).toMatchObject({ tally: { republished: 0, deleted: 0 } });
    deleting.release();
    expect(await first).toMatchObject({ tally: { deleted: 3 } });
    expect(deletesOf(race)).toBe(1);
    expect(postsOf(race)).toBe(1);
    expect(await race.states(ids)).toEqual(["gone", "gone", "gone"]);
    await expectDrainedOnce(race.rig, 3);
  });

  it("R23 both sweep the same outcome that is unknown: one POST settles it", async () => {
    const { race } = await deadAt(stand(), 3, "publish", "after");
    await race.wait(takeoverMs + 1);
    const [a, b] = [await race.worker(), await race.worker()];
    const [one, other] = [a.stop("begin", "before"), b.stop("begin", "before")];
    const both = [a.sweep(), b.sweep()];
    await Promise.all([one.reached, other.reached]);
    one.release();
    other.release();
    await Promise.all(both);
    expect(postsOf(race)).toBe(2);
    await expectDrainedOnce(race.rig, 3);
  });
});

describe("a worker dies after the fact and before the delete", () => {
  it("R25 and a sweep and a page race for it: both delete, one is told that nothing was left, and it is gone", async () => {
    const { race, ids } = await deadAt(stand(), 2, "published", "after");
    await race.wait(takeoverMs + 1);
    const [sweeper, pager] = [await race.worker(), await race.worker()];
    const [one, other] = [sweeper.stop("remove", "before"), pager.stop("remove", "before")];
    const both = [sweeper.sweep(), pager.page()];
    await Promise.all([one.reached, other.reached]);
    other.release();
    await both[1];
    one.release();
    await both[0];
    expect(sweeper.rig.eventsOf("delete:short")).toMatchObject([{ asked: 2, deleted: 0 }]);
    expect(await race.states(ids)).toEqual(["gone", "gone"]);
    expect(await race.ledger.summary()).toMatchObject({ pendingDelete: 0, failedDeletes: 0 });
    expect(postsOf(race)).toBe(1);
    await expectDrainedOnce(race.rig, 2);
  });
});

describe("a worker dies after the delete and before the tombstone", () => {
  it.each([
    // A pass looks for what is older than a few seconds.
    ["R27 and a full pass that no longer lists it buries it", 10_000, "gone"],
    ["R64 and a full pass whose clock is behind does not list it: it buries nothing", -300_000, "published"],
  ] as const)("%s", async (_title, aheadMs, state) => {
    const { race, ids } = await deadAt(stand(), 2, "remove", "after");
    await race.wait(10_000);
    const { rig, drain } = await race.worker();
    const clock = { ...drain.source.clock, now: () => Date.now() + aheadMs };
    const later = { ...drain, source: { ...drain.source, clock } };
    const stops = { signal: never, stopping: never };
    expect(await runPassInProcess(later, rig.core.settings.passes, stops, () => undefined)).toMatchObject({
      outcome: "complete",
    });
    expect(await race.states(ids)).toEqual([state, state]);
  });

  it("R28 and a listing that lags shows it once more: deleted again, never published again", async () => {
    const race = await stand();
    const ids = race.seed(2);
    race.rig.emulator.faults.add({ kind: "lagging-list", forMs: 10 * takeoverMs, count: 1 });
    await stallPage(await race.worker(), "remove", "after");
    await race.wait(takeoverMs + 1);
    const b = await race.worker();
    await b.page();
    await b.sweep();
    expect(await race.states(ids)).toEqual(["published", "published"]);
    expect(postsOf(race)).toBe(1);
    await race.wait(10 * takeoverMs);
    await b.sweep();
    expect(await race.states(ids)).toEqual(["gone", "gone"]);
    await expectDrainedOnce(race.rig, 2);
  });
});
