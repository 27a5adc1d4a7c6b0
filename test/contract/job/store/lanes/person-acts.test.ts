import { describe, expect, test } from "vitest";
import { config, createLaneStand, driverOf, lane } from "../../../../support/lane-stands.ts";
import { drain } from "../../../../support/ledger-stands.ts";
import { useRedis } from "../../../../support/redis.ts";

/** Every script runs twice, on a time that only `advance` moves. */
const redis = useRedis();
function create() {
  const stand = createLaneStand(redis.fresh());
  return { ...stand, driver: driverOf(stand) };
}
const minute = 60_000;

describe("a person's probe", () => {
  test("is due now and not after a quarter of an hour, goes to one page alone, and is judged as any other", async () => {
    const { book, driver, now, advance } = create();
    await driver.halt();
    expect(await driver.ask(9)).toMatchObject({ state: "halted", canaries: 0 });
    expect(await book.probeNow(lane)).toEqual({ kind: "due" });
    // Asked for again, it is still one probe.
    expect(await book.probeNow(lane)).toEqual({ kind: "due" });
    const grants = await Promise.all([driver.ask(9), driver.ask(9), driver.ask(9)]);
    expect(grants.map(({ canaries }) => canaries)).toEqual([1, 0, 0]);
    // It may be a message that was a canary a moment ago.
    expect(grants[0].mayRepeat).toBe(true);
    const { step } = grants[0];
    expect(await book.probeNow(lane)).toEqual({ kind: "under-way", since: now() });
    await advance(1_000);
    await driver.sent(step, 1);
    const since = now();
    await advance(1_000);
    expect(await book.probeNow(lane)).toEqual({ kind: "under-way", since });
    expect((await driver.ask(9)).canaries).toBe(0);

    // It comes back: the next one is as far away as after any probe.
    await driver.note(step, "down", ["p"]);
    expect(await driver.view()).toMatchObject({ state: "halted", nextAt: now() + 1.5 * config.probeEveryMs });
  });

  test("is handed out at once with its minutes, also if they were handed out a moment ago", async () => {
    const { book, driver, advance, now } = create();
    await driver.halt();
    const at = now() - (now() % minute);
    await driver.ask(9, {}, [at]);
    expect((await book.due()).ready).toEqual([]);
    await book.probeNow(lane);
    expect((await book.due()).ready).toEqual([{ drain, resumeMinutes: [at] }]);
    expect((await book.due()).ready).toEqual([]);
    await driver.ask(0, {}, []);
    await driver.giveBack((await driver.view()).step, 0, [at]);
    await advance(1_000);
    expect((await book.due()).ready).toEqual([]);
    await book.probeNow(lane);
    expect((await book.due()).ready).toEqual([{ drain, resumeMinutes: [at] }]);
  });

  test("of a lane that knows no minutes wants a full pass, once", async () => {
    const { book, driver } = create();
    await driver.halt();
    await book.probeNow(lane);
    expect((await book.due()).ready).toEqual([{ drain, resumeMinutes: [], wantsFull: true }]);
    expect((await book.due()).ready).toEqual([]);
    // Asked for and granted before anybody looked: nothing is wanted any more.
    await book.probeNow(lane);
    const { step } = await driver.ask(1);
    await driver.sent(step, 1);
    expect((await book.due()).ready).toEqual([]);
  });

  test("is for a halted lane alone", async () => {
    const { book, driver } = create();
    expect(await book.probeNow(lane)).toEqual({ kind: "unknown" });
    const { step } = await driver.ask(1);
    expect(await book.probeNow(lane)).toEqual({ kind: "not-halted", state: "canary" });
    expect(await driver.ask(1)).toMatchObject({ step, canaries: 1 });
  });
});

describe("a person's reset", () => {
  test("starts a halted lane over at canary: its probes' interval and its failures are forgotten, its totals stay", async () => {
    const { book, driver, now } = create();
    await driver.halt();
    const before = await driver.view();
    const at = now() - (now() % minute);
    await driver.ask(9, {}, [at]);
    expect(await book.reset(lane)).toMatchObject({ kind: "reset", from: "halted", sent: 0, comeBacks: 0 });
    expect(await driver.view()).toMatchObject({
      state: "canary",
      why: "reset by a person",
      nextAt: null,
      isShaky: false,
      totals: before.totals,
    });
    expect((await book.due()).ready).toEqual([{ drain, resumeMinutes: [at] }]);
    const grant = await driver.ask(9);
    expect(grant).toMatchObject({ canaries: config.canary, isSuspect: true });
    expect(grant.step).toBeGreaterThan(before.step);
    // Halted again: its first probe is as early as that of a new lane.
    await driver.sent(grant.step, config.canary);
    await driver.note(grant.step, "down", ["x1", "x2", "x3"]);
    expect(await driver.view()).toMatchObject({ state: "halted", nextAt: now() + config.probeEveryMs });
  });

  test("closes an open lane too; one that nobody knows is new already", async () => {
    const { book, driver } = create();
    expect(await book.reset(lane)).toEqual({ kind: "unknown" });
    await driver.open();
    expect(await book.reset(lane)).toMatchObject({ kind: "reset", from: "open" });
    expect(await driver.ask(50)).toMatchObject({ state: "canary", canaries: config.canary, plain: 0 });
  });
});

test("lanes of one state are listed page by page", async () => {
  const { book } = create();
  const asks = ["a", "b", "c"].map((id) => ({
    lane: id,
    origin: `https://${id}`,
    wanted: 1,
    resumeMinutes: [],
  }));
  await book.ask(drain, config, asks);
  const first = await book.viewsIn("canary", 0, 2);
  const second = await book.viewsIn("canary", 2, 2);
  expect([...first, ...second].map((one) => one.lane).toSorted()).toEqual(["a", "b", "c"]);
  expect(second).toHaveLength(1);
  expect(await book.viewsIn("halted", 0, 2)).toEqual([]);
});
