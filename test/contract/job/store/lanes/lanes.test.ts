import { beforeEach, describe, expect, test } from "vitest";
import { toLaneId, toRootHash } from "../../../../../src/job/message/short-id.ts";
import { createRedisLaneBook } from "../../../../../src/job/store/lanes/redis-lane-book.ts";
import type { LaneConfig } from "../../../../../src/job/contracts/drains-document.ts";
import type { LaneComeBack } from "../../../../../src/job/contracts/lanes.ts";
import type { RedisConnection } from "../../../../../src/job/redis/connect.ts";
import {
  comeBacks,
  config,
  createLaneStand,
  driverOf,
  grantLifeMs,
  lane,
  moved,
  origin,
  parents,
} from "../../../../support/lane-stands.ts";
import { drain, otherDrain, source, startOfTime, twice } from "../../../../support/ledger-stands.ts";
import { useRedis } from "../../../../support/redis.ts";

const redis = useRedis();
const create = (lifeMs?: number) => createLaneStand(redis.fresh(), lifeMs);
function createDriven(given: LaneConfig = config) {
  const stand = create();
  return { stand, book: stand.book, driver: driverOf(stand, given) };
}
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const first = startOfTime / 1_000;
/** Starts of these minutes. */
const minutes = (...starts: readonly number[]): readonly number[] =>
  starts.map((start) => startOfTime - (startOfTime % minuteMs) + start * minuteMs);
const asking = (id: string, resumeMinutes: readonly number[]) => [
  { lane: id, origin: `https://${id}`, wanted: 9, resumeMinutes },
];
const wanting = (id: string, wanted: number) => ({ ...asking(id, [])[0]!, wanted });

type Stand = Awaited<ReturnType<typeof createDriven>>;
let stand: Stand["stand"];
let book: Stand["book"];
let driver: Stand["driver"];
beforeEach(() => {
  ({ stand, book, driver } = createDriven());
});

/** Its drain is called so long from now, and not before. */
async function readyAfter(ms: number, resumeMinutes: readonly number[]): Promise<void> {
  await stand.advance(ms - 1);
  expect((await book.due()).ready).toEqual([]);
  await stand.advance(1);
  expect((await book.due()).ready).toEqual([{ drain, resumeMinutes }]);
}

describe("a lane that is tried", () => {
  test("a lane that nobody knows is a canary; asking how it stands makes it no lane", async () => {
    const at = stand.now();
    expect(await book.ask(drain, config, [wanting(lane, 0)])).toMatchObject({
      answers: [{ state: "canary", canaries: 0, plain: 0, step: 0, mayRepeat: true, until: null }],
      at,
    });
    expect((await book.views(10)).lanes).toEqual([]);
    expect(await book.ask(drain, config, [])).toEqual({ answers: [], at });
  });

  test("lets its canaries go, all replicas together, and says when the rest can", async () => {
    const { ask } = driver;
    expect(await ask(3)).toMatchObject({ state: "canary", canaries: 3, plain: 0, step: first });
    const { until } = await ask(100);
    expect(until).toBe(stand.now() + config.watchMs);
    expect(await ask(100)).toMatchObject({ canaries: 0, until });
    expect((await driverOf(stand).view()).state).toBe("canary");
  });

  test("what is given back is granted again", async () => {
    const { ask, giveBack } = driver;
    const { step } = await ask(5);
    await giveBack(step, 2);
    expect(await ask(5)).toMatchObject({ canaries: 2, step });
    await giveBack(step + 7, 2);
    expect(await ask(5)).toMatchObject({ canaries: 0 });
  });

  test("a grant that is neither sent nor given back is forgotten when its page may publish no more", async () => {
    const stand = create(30_000);
    const { ask, giveBack, sent } = driverOf(stand);
    const { step } = await ask(9, {}, minutes(1));
    await stand.advance(30_000);
    expect((await ask(5)).canaries).toBe(0);
    expect((await stand.book.due()).ready).toEqual([]);
    await stand.advance(1);
    expect((await stand.book.due()).ready).toMatchObject([{ resumeMinutes: minutes(1) }]);
    // Nothing of it is known, so it is begun anew, and what its workers say now is said of no step.
    expect(await ask(3)).toMatchObject({ canaries: 3, step: step + 1 });
    await giveBack(step, 5);
    await sent(step, 5);
    expect((await ask(5)).canaries).toBe(2);
  });

  test("what is given back late was of the grants that were forgotten", async () => {
    const stand = create();
    const { ask, giveBack, note } = driverOf(stand, { ...config, watchMs: 15 * minuteMs });
    const { step } = await ask(3);
    await note(step, "refused", ["p"], 422);
    await stand.advance(5 * minuteMs + 1);
    expect((await ask(9)).canaries).toBe(4);
    await giveBack(step, 2);
    expect((await ask(9)).canaries).toBe(0);
    await giveBack(step, 2);
    expect((await ask(9)).canaries).toBe(2);
  });

  test("what is reported late and came back before counts once, so it does not look like a survivor", async () => {
    const stand = create();
    const { ask, note, sent, checked } = driverOf(stand, { ...config, watchMs: 15 * minuteMs });
    const { step } = await ask(1);
    await note(step, "down", ["p"], 503);
    await stand.advance(5 * minuteMs + 1);
    await ask(0);
    await sent(step, 1);
    await stand.advance(15 * minuteMs);
    expect(await checked(step)).toMatchObject({ kind: "moved", to: "halted", sent: 1, comeBacks: 1 });
  });

  test("a step takes messages for half a watch after its first, and its size is then what was sent", async () => {
    const { ask, sent, checked } = driver;
    const { step } = await ask(2);
    await sent(step, 2);
    await stand.advance(config.watchMs / 2 - 1);
    expect((await ask(1)).canaries).toBe(1);
    await sent(step, 1);
    await stand.advance(1);
    expect(await ask(9)).toMatchObject({ canaries: 0, until: stand.now() - 1 + config.watchMs });
    await stand.advance(config.watchMs - 1);
    expect(await checked(step)).toMatchObject({
      kind: "moved",
      to: "ramping",
      size: 30,
      sent: 3,
      comeBacks: 0,
    });
  });

  test("grows tenfold with each silent watch and opens where the limits would bind first", async () => {
    const { survive, ask, view } = driver;
    expect(await survive(100)).toEqual(moved({ wantsFull: true }));
    expect(await survive(100)).toMatchObject({ from: "ramping", to: "open", size: 50, sent: 50 });
    expect(await ask(100)).toMatchObject({ state: "open", canaries: 1, plain: 99, until: null });
    expect(await view()).toMatchObject({ state: "open", why: "none of 50 failed again", step: first + 2 });
  });

  test("is judged by a look alone, and only by one that began when the whole watch was over", async () => {
    const step = await driver.step(5);
    await stand.advance(config.watchMs - 1);
    expect(await driver.checked(step)).toEqual({ kind: "none" });
    const before = stand.now();
    await stand.advance(hourMs);
    expect(await driver.checked(step, before)).toEqual({ kind: "none" });
    expect(await driver.checked(step - 1)).toEqual({ kind: "none" });
    expect((await driver.view()).state).toBe("canary");
    expect(await driver.checked(step)).toMatchObject({ to: "ramping" });
    expect(await driver.checked(step)).toEqual({ kind: "none" });
  });

  test("is not judged while a canary is under way, nor where nothing was sent", async () => {
    const { ask, sent, checked } = driver;
    const { step } = await ask(5);
    await stand.advance(config.watchMs * 2);
    expect(await checked(step)).toEqual({ kind: "none" });
    await sent(step, 4);
    await stand.advance(config.watchMs * 2);
    expect(await checked(step)).toEqual({ kind: "none" });
    await stand.advance(5 * minuteMs);
    expect(await checked(step)).toMatchObject({ to: "ramping", sent: 4 });
  });

  test("a time from before the clock was set back proves no silence", async () => {
    const step = await driver.step(5);
    const checkedAt = stand.now() + config.watchMs;
    expect(await driver.checked(step, checkedAt)).toEqual({ kind: "none" });
  });

  test("deliveries that the receiver told of need no silence, together with what came back", async () => {
    const step = await driver.step(5);
    for (const parent of [...parents(4), "p0"]) {
      expect(await book.delivered({ lane, step }, parent)).toEqual({ kind: "none" });
    }
    expect(await driver.note(step, "refused", ["p9"], 422)).toMatchObject([
      { to: "ramping", size: 50, sent: 5, comeBacks: 1, why: "1 of 5 failed again, 422" },
    ]);
    expect(await book.delivered({ lane, step }, "p5")).toEqual({ kind: "none" });
  });
});

describe("a lane that fails", () => {
  test("more than haltAt of the planned size back down halts it, at once", async () => {
    const { step } = await driver.ask(2);
    await driver.sent(step, 2);
    expect(await driver.note(step, "down", ["p1"])).toEqual([]);
    // The same parent again says nothing new.
    expect(await driver.note(step, "down", ["p1", "p1"])).toEqual([]);
    expect(await driver.note(step, "down", ["p2"], 0)).toMatchObject([
      { from: "canary", to: "halted", size: 0, why: "2 of 5 failed again, no answer, 503", wantsFull: false },
    ]);
    expect(await driver.view()).toMatchObject({
      state: "halted",
      since: stand.now(),
      nextAt: stand.now() + config.probeEveryMs,
      totals: { canaries: 2, comeBacks: 2, halts: 1 },
    });
  });

  test("once a step is full or over, what was sent counts", async () => {
    const { step } = await driver.ask(2);
    await driver.sent(step, 2);
    expect(await driver.note(step, "down", ["p1"])).toEqual([]);
    await stand.advance(config.watchMs / 2);
    expect(await driver.note(step, "down", ["p1"])).toMatchObject([
      { to: "halted", why: "1 of 2 failed again, 503" },
    ]);
  });

  test.each([
    [0.29, 100, 29],
    [0.2, 5, 1],
    [0, 5, 0],
    [0.999, 3, 2],
    [1, 5, 4],
    [1, 1, 0],
  ])("with haltAt %d of %d so many are no halt yet: %d", async (haltAt, canary, most) => {
    const { driver } = createDriven({ ...config, haltAt, canary });
    const step = await driver.step(canary);
    expect(await driver.note(step, "down", parents(most))).toEqual([]);
    expect(await driver.note(step, "down", ["one more"])).toMatchObject([{ to: "halted" }]);
  });

  test("says its most frequent statuses, most frequent first", async () => {
    const { driver } = createDriven({ ...config, haltAt: 0.9, canary: 10 });
    const step = await driver.step(10);
    await driver.note(step, "down", parents(4, "a"), 503);
    await driver.note(step, "down", parents(1, "b"), 500);
    await driver.note(step, "down", parents(3, "c"), 0);
    await driver.note(step, "down", parents(2, "d"), 429);
    expect((await driver.view()).why).toBe("10 of 10 failed again, 503, no answer, 429");
  });

  test("refusals halt where all of three or more are back; fewer are tried again", async () => {
    const { step } = await driver.ask(2);
    await driver.sent(step, 2);
    expect(await driver.note(step, "refused", parents(2), 422)).toEqual([]);
    await stand.advance(config.watchMs);
    expect(await driver.checked(step)).toEqual({ kind: "none" });
    expect(await driver.view()).toMatchObject({
      state: "canary",
      step: step + 1,
      sent: 0,
      why: "2 of 2 failed again, 422: too few to tell",
    });
    const next = await driver.step(5);
    expect(await driver.note(next, "refused", parents(4), 422)).toEqual([]);
    expect(await driver.note(next, "refused", ["p4"], 422)).toMatchObject([
      { to: "halted", why: "5 of 5 failed again, 422" },
    ]);
  });

  test("come-backs of steps and lanes that nobody remembers change nothing", async () => {
    await driver.note(first, "down", parents(5));
    const step = await driver.step(5);
    expect(await driver.note(step - 1, "down", parents(5))).toEqual([]);
    expect(await driver.note(step + 1, "down", parents(5))).toEqual([]);
    expect((await driver.view()).totals.comeBacks).toBe(0);
  });

  test("a come-back proves that its parent was published, though nobody has said so", async () => {
    const { step } = await driver.ask(5);
    expect(await driver.note(step, "refused", parents(4), 422)).toEqual([]);
    // Its worker is gone with its grants, and all that it sent is back.
    await stand.advance(5 * minuteMs + 1);
    expect((await book.due()).watches).toMatchObject([{ step }]);
    expect(await driver.checked(step)).toMatchObject({ to: "halted" });
  });
});

describe("a lane that is halted", () => {
  test("lets one probe go per probeEvery", async () => {
    await driver.halt();
    const nextAt = stand.now() + config.probeEveryMs;
    expect(await driver.ask(100)).toMatchObject({ state: "halted", canaries: 0, plain: 0, until: nextAt });
    await stand.advance(config.probeEveryMs - 1);
    expect((await driver.ask(100)).canaries).toBe(0);
    await stand.advance(1);
    expect(await driver.ask(100)).toMatchObject({ canaries: 1, until: nextAt + config.probeEveryMs });
    expect((await driver.ask(100)).canaries).toBe(0);
    // It may have been published all the same: nobody probes before its interval is over.
    await stand.advance(config.probeEveryMs + 1);
    expect((await driver.ask(100)).canaries).toBe(1);
  });

  test("is suspected until it is open again, or nothing was tried for a day, or for an hour after it was halted", async () => {
    await driver.halt();
    await stand.advance(24 * hourMs);
    expect(await driver.ask(0)).toMatchObject({ state: "halted", isSuspect: true });
    await stand.advance(1);
    expect(await driver.ask(0)).toMatchObject({ state: "halted", isSuspect: false });
    await driver.survive(1);
    expect(await driver.ask(0)).toMatchObject({ state: "ramping", isSuspect: true });
    await stand.advance(hourMs + 1);
    expect(await driver.ask(0)).toMatchObject({ isSuspect: false });

    const other = create();
    const again = driverOf(other);
    await again.halt();
    await other.advance(config.probeEveryMs);
    await again.survive(1);
    expect(await again.ask(0)).toMatchObject({ state: "ramping", isSuspect: true });
    await again.survive(50);
    expect(await again.ask(0)).toMatchObject({ state: "open", isSuspect: false });
  });

  test("a forgotten probe keeps its interval", async () => {
    const { stand, driver } = createDriven({ ...config, probeEveryMs: 600_000 });
    await driver.halt();
    await stand.advance(600_000);
    expect((await driver.ask(1)).canaries).toBe(1);
    await stand.advance(599_999);
    expect((await driver.ask(1)).canaries).toBe(0);
    await stand.advance(1);
    expect((await driver.ask(1)).canaries).toBe(1);
  });

  test("a probe is no message that was a canary lately; left to others, it is called again from its own place", async () => {
    await driver.halt();
    await stand.advance(config.probeEveryMs);
    const { step, ...answer } = await driver.ask(1, {}, minutes(7));
    const avoid = ["root-1", "root-2", "root-3", "root-4", "root-5"];
    expect(answer).toMatchObject({ canaries: 1, mayRepeat: false, avoid });
    await driver.giveBack(step, 1);
    await stand.advance(minuteMs);
    expect((await book.due()).ready).toEqual([{ drain, resumeMinutes: minutes(7) }]);
    expect(await driver.ask(1)).toMatchObject({ canaries: 1, mayRepeat: true });
  });

  test("a probe that survives is as good as a canary step", async () => {
    await driver.halt();
    await stand.advance(config.probeEveryMs);
    expect(await driver.survive(1)).toMatchObject({
      from: "halted",
      to: "ramping",
      size: 50,
      why: "the probe did not fail again",
    });
    expect(await driver.view()).toMatchObject({ nextAt: null, totals: { halts: 1 } });
    expect((await driver.ask(90)).canaries).toBe(50);
  });

  test("a probe that survives makes it a canary where the next step would be all that the limits let through", async () => {
    const { stand, driver } = createDriven({ ...config, openFrom: 50 });
    await driver.halt();
    await stand.advance(config.probeEveryMs);
    expect(await driver.survive(1)).toMatchObject({ to: "canary", size: 5 });
    expect(await driver.survive(5)).toMatchObject({ to: "open" });
  });

  test("a lane that halts soon after it went on starts at canary and keeps its backoff, until it was open for ten watches", async () => {
    const afterProbe = async () => {
      await driver.untilProbe();
      return driver.survive(1);
    };
    const nextInMs = async () => (await driver.view()).nextAt! - stand.now();
    await driver.halt();
    await driver.untilProbe();
    await driver.probe("down");
    expect(await afterProbe()).toMatchObject({ to: "ramping" });
    const step = await driver.step(50);
    expect(await driver.note(step, "down", parents(11))).toMatchObject([{ from: "ramping", to: "halted" }]);
    expect(await afterProbe()).toMatchObject({ to: "canary", size: 5 });
    await driver.halt();
    expect(await nextInMs()).toBe(1.5 * config.probeEveryMs);
    expect(await afterProbe()).toMatchObject({ to: "canary", size: 5 });
    for (const [openMs, factor, next] of [
      [config.watchMs, 1.5, { to: "canary" }],
      [10 * config.watchMs, 1, { to: "ramping", size: 50 }],
    ] as const) {
      await driver.open();
      await stand.advance(openMs);
      await driver.failOpen();
      expect(await nextInMs()).toBe(factor * config.probeEveryMs);
      expect(await afterProbe()).toMatchObject(next);
    }
  });

  test("a probe of what is known to be bad shows that the receiver answers", async () => {
    const step = await driver.step(5);
    expect(await driver.note(step, "refused", parents(5), 422)).toMatchObject([{ to: "halted" }]);
    await driver.untilProbe();
    const why = "a probe was answered, refused as before, 422";
    expect(await driver.probe("again", 422)).toMatchObject([{ to: "ramping", why }]);
    expect(await driver.view()).toMatchObject({ state: "ramping", why });
  });

  test("a probe that comes back is followed by the next 1.5 times as late, at most three times", async () => {
    await driver.halt();
    for (const factor of [1.5, 2.25, 3, 3]) {
      await driver.untilProbe();
      expect(await driver.probe("down")).toEqual([]);
      expect(await driver.view()).toMatchObject({
        state: "halted",
        why: "a probe failed again, 503",
        nextAt: stand.now() + factor * config.probeEveryMs,
        totals: { halts: 1 },
      });
    }
  });

  test("a receiver that refuses a probe and takes no canary is told by what survives alone, ever more rarely", async () => {
    await driver.halt();
    await driver.untilProbe();
    await driver.probe("refused", 404);
    await driver.note(await driver.step(5), "down", parents(5));
    for (const factor of [1, 1.5, 2.25]) {
      expect((await driver.view()).nextAt).toBe(stand.now() + factor * config.probeEveryMs);
      await driver.untilProbe();
      expect(await driver.probe("refused", 404)).toEqual([]);
    }
    await driver.untilProbe();
    expect(await driver.survive(1)).toMatchObject({ from: "halted", why: "the probe did not fail again" });
    await driver.survive(50);
    await driver.failOpen();
    await driver.untilProbe();
    expect(await driver.probe("refused", 404)).toMatchObject([{ to: "canary" }]);
  });

  test("a step of which all is down halts for that, whatever haltAt is, and a refused probe ends it", async () => {
    const { driver } = createDriven({ ...config, haltAt: 1, canary: 1 });
    const step = await driver.step(1);
    expect(await driver.note(step, "down", ["p"])).toMatchObject([{ to: "halted" }]);
    await driver.untilProbe();
    expect(await driver.probe("refused", 422)).toMatchObject([
      { from: "halted", to: "canary", why: "the receiver answers, 422" },
    ]);
  });

  test("where haltAt is all of it, a step of which some is refused and the rest is down was answered", async () => {
    const { driver } = createDriven({ ...config, haltAt: 1 });
    const step = await driver.step(5);
    expect(await driver.note(step, "down", parents(4))).toEqual([]);
    expect(await driver.note(step, "refused", ["p4"], 422)).toMatchObject([{ to: "halted" }]);
    await driver.untilProbe();
    expect(await driver.probe("refused", 422)).toEqual([]);
    expect((await driver.view()).state).toBe("halted");
  });
});

describe("a lane that is open", () => {
  test("sends ten times canary of each watch as canaries, spread over it, and the rest as they are", async () => {
    await driver.open();
    const { step } = await driver.ask(0);
    const granted: number[] = [];
    for (let at = 0; at < config.watchMs; at += 12_000) {
      const { canaries, plain } = await driver.ask(100);
      expect(canaries + plain).toBe(100);
      granted.push(canaries);
      await driver.sent(step, canaries);
      await stand.advance(12_000);
    }
    expect(granted).toEqual([1, 9, 10, 10, 10]);
    // The next is collected while that one is watched; a third waits until the first is judged.
    expect(await driver.ask(100)).toMatchObject({ canaries: 1, step: step + 1 });
    await driver.sent(step + 1, 1);
    await stand.advance(config.watchMs);
    expect(await driver.ask(100)).toMatchObject({ canaries: 0, plain: 100, step: step + 1 });
    expect(await driver.checked(step)).toEqual({ kind: "none" });
    expect(await driver.ask(100)).toMatchObject({ canaries: 1, step: step + 2 });
    await driver.sent(step + 2, 1);
    await stand.advance(config.watchMs);
    expect(await driver.checked(step + 1)).toEqual({ kind: "none" });
    expect(await driver.checked(step + 2)).toEqual({ kind: "none" });
    expect((await driver.view()).step).toBe(step + 3);
  });

  test("halts by the step before as by the one that is collecting", async () => {
    await driver.open();
    const step = await driver.step(1);
    await stand.advance(30_000);
    await driver.sent((await driver.ask(24)).step, 24);
    await stand.advance(30_000);
    expect((await driver.ask(1)).step).toBe(step + 1);
    expect(await driver.note(step, "down", parents(6))).toMatchObject([
      { from: "open", to: "halted", why: "6 of 25 canaries failed again, 503" },
    ]);
  });

  test("lets nothing go while what it sent is not judged, and calls what it held when it is", async () => {
    await driver.open();
    const step = await driver.step(1);
    await stand.advance(config.watchMs);
    expect((await driver.ask(100)).plain).toBe(99);
    await stand.advance(config.watchMs + minuteMs);
    expect((await driver.ask(100)).plain).toBe(100);
    await stand.advance(1);
    expect(await driver.ask(100, {}, minutes(7))).toMatchObject({
      state: "open",
      canaries: 0,
      plain: 0,
      until: stand.now() + 15_000,
    });
    expect((await book.due()).ready).toEqual([]);
    await driver.checked(step);
    expect((await book.due()).ready).toEqual([{ drain, resumeMinutes: minutes(7) }]);
    expect((await driver.ask(100)).plain).toBeGreaterThan(0);
  });

  test("waits for no grants of a worker that died", async () => {
    await driver.open();
    const { step } = await driver.ask(1);
    await driver.sent(step, 1);
    await stand.advance(config.watchMs / 2);
    const { canaries } = await driver.ask(24);
    await driver.sent(step, 9);
    expect(canaries).toBe(24);
    await stand.advance(config.watchMs / 2);
    // The worker of the other 15 has died. The next period has begun, and nobody has said anything of it either.
    expect(await driver.ask(1)).toMatchObject({ canaries: 1, step: step + 1 });
    await stand.advance(config.watchMs / 2);
    expect((await book.due()).watches).toMatchObject([{ step }]);
    expect(await driver.checked(step)).toEqual({ kind: "none" });
    await stand.advance(config.watchMs);
    expect(await driver.ask(2)).toMatchObject({ canaries: 1, plain: 1, step: step + 2 });
  });

  test("halts by the share of what was sent, not of what a worker that died was granted", async () => {
    await driver.open();
    const { step } = await driver.ask(1);
    await driver.sent(step, 1);
    await stand.advance(config.watchMs / 2);
    expect((await driver.ask(24)).canaries).toBe(24);
    await driver.sent(step, 9);
    await stand.advance(config.watchMs / 2);
    expect(await driver.note(step, "down", parents(3))).toMatchObject([
      { to: "halted", why: "3 of 10 canaries failed again, 503" },
    ]);
  });

  test("is looked at halfway through its watch however often it is used", async () => {
    await driver.open();
    const { step } = await driver.ask(1);
    await driver.sent(step, 1);
    for (let at = 0; at < config.watchMs / 2; at += 10_000) {
      await stand.advance(10_000);
      await driver.sent(step, (await driver.ask(9)).canaries);
    }
    expect((await book.due()).watches).toMatchObject([{ step }]);
  });

  test("whose watch is long is not new before three of them", async () => {
    const { stand, driver } = createDriven({ ...config, watchMs: hourMs });
    await driver.survive(5);
    await stand.advance(hourMs);
    expect((await driver.ask(9)).state).toBe("ramping");
  });

  test("does not halt by one of a few, and halts where the next period has one too", async () => {
    await driver.open();
    /** One message, and a watch later what is known of it. */
    const period = async (said: LaneComeBack["kind"] | null) => {
      const step = await driver.step(1);
      await stand.advance(config.watchMs);
      const back = said === null ? [] : comeBacks(step, said, [`p${step}`]);
      return driver.checked(step, stand.now(), back);
    };
    expect(await period("down")).toEqual({ kind: "none" });
    expect(await period(null)).toEqual({ kind: "none" });
    expect(await period("down")).toEqual({ kind: "none" });
    expect(await period("refused")).toEqual({ kind: "none" });
    expect(await period("down")).toEqual({ kind: "none" });
    expect(await period("down")).toMatchObject({ to: "halted", why: "1 of 1 canaries failed again, 503" });
  });

  test.each(["open", "ramping"] as const)("%s and unused for an hour it is a canary again", async (state) => {
    await driver.survive(5);
    if (state === "open") await driver.survive(50);
    // Whichever step it was of.
    await stand.advance(hourMs);
    await book.sent([{ lane, step: 1, roots: ["r"] }]);
    await stand.advance(hourMs);
    expect((await driver.ask(0)).state).toBe(state);
    await stand.advance(1);
    expect((await driver.ask(0)).state).toBe("canary");
    expect((await driver.view()).state).toBe(state);
    expect(await driver.ask(100)).toMatchObject({ state: "canary", canaries: 5 });
    expect((await driver.view()).why).toBe("unused for 1 h");
  });
});

describe("what lanes want", () => {
  test("a step wants a look at half of its watch and at its end, each once, and again until it is judged", async () => {
    const startedAt = stand.now();
    const { step } = await driver.ask(5);
    await stand.advance(1_000);
    await driver.sent(step, 5);
    const until = stand.now() + config.watchMs;
    const watch = { lane, step, drain, origin, state: "canary", firstSentAt: startedAt, until };
    const dueAfter = async (ms: number) => {
      await stand.advance(ms);
      return (await book.due()).watches;
    };
    expect(await dueAfter(config.watchMs / 2 - 1)).toEqual([]);
    expect(await dueAfter(1)).toEqual([watch]);
    expect(await dueAfter(config.watchMs / 2 - 1)).toEqual([]);
    expect(await dueAfter(1)).toEqual([watch]);
    expect(await dueAfter(14_999)).toEqual([]);
    expect(await dueAfter(1)).toEqual([watch]);
    await driver.checked(step);
    expect(await dueAfter(hourMs)).toEqual([]);
  });

  test("a step of which something is under way is not looked at in vain", async () => {
    const { step } = await driver.ask(5);
    await driver.sent(step, 4);
    await stand.advance(config.watchMs);
    // The early look, late.
    expect((await book.due()).watches).toHaveLength(1);
    await stand.advance(4 * minuteMs);
    expect((await book.due()).watches).toEqual([]);
    await stand.advance(1);
    expect((await book.due()).watches).toHaveLength(1);
  });

  test("a promotion hands out the places of what was held; what is denied of them is remembered again", async () => {
    const { step } = await driver.ask(100, {}, minutes(7, 3));
    await driver.sent(step, 5);
    await driver.ask(100, {}, minutes(3, 5));
    await stand.advance(config.watchMs);
    // While they are watched there is room for nothing.
    expect((await book.due()).ready).toEqual([]);
    expect(await driver.checked(step)).toMatchObject({ to: "ramping", resumeMinutes: minutes(3, 5, 7) });
    expect((await book.due()).ready).toEqual([]);
    // Opened: a full pass finds all of it.
    expect(await driver.survive(100, minutes(7))).toMatchObject({
      sent: 50,
      to: "open",
      resumeMinutes: [],
      wantsFull: true,
    });
    await driver.ask(100, {}, minutes(9));
    await stand.advance(hourMs);
    expect((await book.due()).ready).toEqual([]);
  });

  test("where the places are used up, what else was held wants a full pass, once", async () => {
    const { driver } = createDriven({ ...config, openFrom: 5_000 });
    expect(await driver.survive(100, minutes(7))).toMatchObject({
      resumeMinutes: minutes(7),
      wantsFull: false,
    });
    // In that minute were few.
    expect(await driver.survive(8)).toMatchObject({
      to: "ramping",
      size: 80,
      resumeMinutes: [],
      wantsFull: true,
    });
    expect(await driver.survive(80)).toMatchObject({ to: "ramping", resumeMinutes: [], wantsFull: false });
  });

  test("a halted lane makes its drain ready when its probe is due, with two places for each", async () => {
    await driver.halt();
    await driver.ask(9, {}, minutes(2, 3));
    await driver.ask(9, {}, minutes(4, 6));
    await readyAfter(config.probeEveryMs, minutes(2, 6));
    // Nobody asked: others are called after a minute.
    await readyAfter(minuteMs, minutes(3, 4));
    await stand.advance(hourMs);
    expect((await book.due()).ready).toEqual([]);

    // Whoever asks for them is called for the next probe at once when that is due.
    const step = await driver.step(9);
    await driver.ask(9, {}, minutes(8));
    await driver.note(step, "down", ["p"]);
    const { nextAt } = await driver.view();
    await readyAfter(nextAt! - stand.now(), minutes(8));
  });

  test("the lanes of one drain call it together, each drain for itself", async () => {
    await book.ask(drain, config, asking("a", minutes(5, 2)));
    await book.ask(otherDrain, config, asking("b", minutes(4)));
    await book.ask(drain, config, asking("c", minutes(5, 9)));
    for (const id of ["a", "b", "c"])
      await book.giveBack([{ lane: id, step: first, count: 5, resumeMinutes: [] }]);
    const ready = [
      { drain, resumeMinutes: minutes(2, 5, 9) },
      { drain: otherDrain, resumeMinutes: minutes(4) },
    ].toSorted((a, b) => (a.drain < b.drain ? -1 : 1));
    expect((await book.due()).ready).toEqual(ready);
    expect((await book.due()).ready).toEqual([]);
  });

  test("views are of halted lanes first, then of those used last, and count all of them", async () => {
    await driverOf(stand).halt();
    for (const id of ["a", "b", "c"]) {
      await book.ask(id === "b" ? otherDrain : drain, config, [wanting(id, 5)]);
      await stand.advance(1_000);
    }
    await book.sent([{ lane: "a", step: first, roots: ["r"] }]);
    const { lanes, counts } = await book.views(3);
    expect(lanes.map(({ lane: id }) => id)).toEqual([lane, "a", "c"]);
    expect((await book.views(1)).lanes.map(({ state }) => state)).toEqual(["halted"]);
    expect(await book.viewsOf(["nobody", "a"])).toEqual([lanes[1]]);
    expect(await book.viewsOf([])).toEqual([]);
    expect(lanes[1]).toEqual({
      lane: "a",
      step: first,
      drain,
      origin: "https://a",
      state: "canary",
      since: startOfTime,
      why: "new",
      size: 5,
      sent: 1,
      comeBacks: { down: 0, refused: 0 },
      unknown: 0,
      nextAt: null,
      isShaky: false,
      totals: { canaries: 1, comeBacks: 0, halts: 0 },
      lastUsedAt: stand.now(),
    });
    expect(counts).toEqual({ canary: 3, ramping: 0, open: 0, halted: 1 });
    expect((await book.views(0)).lanes).toEqual([]);
  });

  test("the busiest count messages that ask again once, when they came", async () => {
    await book.ask(drain, config, [wanting("a", 5), wanting("b", 10)]);
    await book.ask(drain, config, [{ ...wanting("a", 99), isAgain: true }]);
    const { lanes, counts } = await book.busiest(1);
    expect(lanes).toMatchObject([{ lane: "b" }]);
    expect(counts.canary).toBe(2);
    expect((await book.busiest(0)).lanes).toEqual([]);
  });

  test("what was asked of a lane is forgotten with it, whether or not anybody has looked since", async () => {
    await book.ask(drain, config, [wanting("a", 9)]);
    await stand.advance(24 * hourMs);
    await book.ask(drain, config, [wanting("b", 5)]);
    await stand.advance(6 * 24 * hourMs + 1);
    await book.ask(drain, config, [wanting("a", 1)]);
    expect((await book.busiest(9)).lanes.map(({ lane: id }) => id)).toEqual(["b", "a"]);
  });

  test("totals are of all lanes, also of one that is forgotten, which is asked for from nothing again", async () => {
    expect((await book.busiest(0)).totals).toEqual({ canaries: 0, comeBacks: 0, halts: 0 });
    await driver.ask(50);
    await driver.halt();
    await stand.advance(6 * 24 * hourMs);
    const { answers } = await book.ask(drain, config, [wanting("b", 9)]);
    const step = { lane: "b", step: answers[0]!.step };
    await book.sent([{ ...step, roots: ["r1", "r2"] }]);
    await book.recordComeBacks([{ ...step, parentDlqId: "p", kind: "refused", status: 422 }]);
    await book.recordComeBacks([{ ...step, parentDlqId: "p", kind: "refused", status: 422 }]);
    const totals = { canaries: 2, comeBacks: 4, halts: 1 };
    expect(await book.busiest(1)).toMatchObject({ lanes: [{ lane }], totals });
    await stand.advance(24 * hourMs + 1);
    expect(await book.busiest(9)).toMatchObject({
      lanes: [{ lane: "b", totals: { canaries: 2, comeBacks: 1, halts: 0 } }],
      counts: { canary: 1, halted: 0 },
      totals,
    });
    await driver.ask(8);
    expect((await book.busiest(9)).lanes.map(({ lane: id }) => id)).toEqual(["b", lane]);
  });

  test("a lane is forgotten when it was unused for seven days, and its steps are not numbered again", async () => {
    await driver.halt();
    await stand.advance(7 * 24 * hourMs);
    expect((await book.views(9)).counts.halted).toBe(1);
    await stand.advance(1);
    expect(await book.views(9)).toMatchObject({
      lanes: [],
      counts: { canary: 0, ramping: 0, open: 0, halted: 0 },
    });
    const { state, step } = await driver.ask(5);
    expect(state).toBe("canary");
    expect(step).toBeGreaterThan(first + 600_000);
    await driver.note(first, "down", parents(5));
    expect((await driver.view()).comeBacks).toEqual({ down: 0, refused: 0 });
  });

  test("another config is that of the next step, or of one that nothing was granted of", async () => {
    const { step } = await driver.ask(1);
    expect((await driver.ask(9, { canary: 2, watchMs: 5_000, haltAt: 0 })).canaries).toBe(4);
    await driver.sent(step, 5);
    expect(await driver.note(step, "down", ["p1"])).toEqual([]);
    await stand.advance(5_000);
    expect(await driver.checked(step)).toEqual({ kind: "none" });
    await stand.advance(55_000);
    expect(await driver.checked(step)).toMatchObject({ to: "ramping", size: 50 });
    const { step: next } = await driver.ask(50, { watchMs: 9_000 });
    await driver.sent(next, 50);
    await stand.advance(9_000);
    expect(await driver.checked(next)).toMatchObject({ to: "open" });
  });

  test("a step of ten thousand is no step any more, whatever the limits", async () => {
    const { driver } = createDriven({ ...config, canary: 100, openFrom: Infinity });
    expect(await driver.survive(100)).toMatchObject({ to: "ramping", size: 1_000 });
    expect(await driver.survive(1_000)).toMatchObject({ to: "open", size: 1_000 });
  });

  test("a clock that is set back leaves no lane waiting for the old time to come again", async () => {
    const step = await driver.step(5);
    await stand.advance(-24 * hourMs);
    await book.due();
    await stand.advance(config.watchMs);
    expect((await book.due()).watches).toMatchObject([{ step }]);
    expect(await driver.checked(step)).toMatchObject({ to: "ramping" });
    const next = await driver.step(50);
    await driver.note(next, "down", parents(50));
    expect((await driver.view()).state).toBe("halted");
    await stand.advance(-24 * hourMs);
    expect((await driver.ask(1)).canaries).toBe(0);
    await stand.advance(config.probeEveryMs);
    const probe = await driver.step(1);
    await stand.advance(config.watchMs);
    expect(await driver.checked(probe)).toMatchObject({ from: "halted" });
    await stand.advance(-24 * hourMs);
    await driver.ask(1);
    await stand.advance(hourMs + 1);
    expect((await driver.ask(0)).isSuspect).toBe(false);
  });
});

describe("lanes in Redis", () => {
  let connection: RedisConnection;
  let base: string;
  beforeEach(() => {
    connection = redis.fresh();
    base = `${connection.keyPrefix}:v1:{eu}:lanes:`;
  });
  function open(run = connection.run) {
    let calls = 0;
    return createRedisLaneBook({ ...connection, run }, source, grantLifeMs, {
      token: () => `c${(calls += 1)}`,
    });
  }

  /** How often anything was SET, as INFO says it. */
  async function sets(): Promise<number> {
    const text = String(await connection.command("INFO", "commandstats"));
    return Number(/cmdstat_set:calls=(\d+)/.exec(text)?.[1] ?? 0);
  }

  test("have their keys in the slot of the source, under a limited life each, and nothing of a message", async () => {
    const book = open(twice(connection).run);
    const id = toLaneId(drain, origin);
    const { answers } = await book.ask(drain, config, [wanting(id, 9)]);
    const step = { lane: id, step: answers[0]!.step };
    await book.sent([{ ...step, roots: [toRootHash("msg_secret")] }]);
    await book.recordComeBacks([{ ...step, parentDlqId: "1-secret", kind: "down", status: 503 }]);
    const keys = (await connection.command("KEYS", `${connection.keyPrefix}:*`)) as string[];
    expect(keys.map((key) => key.replace(base, "")).toSorted()).toEqual(
      ["at", "call:c1", "call:c2", "canary", "due", `lane:${id}`, "records", "totals"].toSorted(),
    );
    for (const key of keys) {
      const left = Number(await connection.command("PTTL", key));
      expect(left).toBeGreaterThan(0);
      expect(left).toBeLessThanOrEqual(7 * 24 * hourMs);
    }
    expect(await connection.command("GET", `${base}lane:${id}`)).not.toContain("secret");
    expect(Number(await connection.command("MEMORY", "USAGE", `${base}lane:${id}`))).toBeLessThan(1_000);
  });

  test("a lane of another layout is replaced, not read", async () => {
    const key = `${base}lane:${lane}`;
    await connection.command("SET", key, JSON.stringify({ v: 2, other: true }));
    const { answers } = await open().ask(drain, config, [wanting(lane, 9)]);
    expect(answers).toMatchObject([{ state: "canary", canaries: 5 }]);
    expect(await connection.command("GET", key)).toContain('"v":1');
  });

  test("what is no lane any more leaves the index by records, met or unused", async () => {
    const book = open();
    const asks = ["a", "b", "c", "d"].map((id, index) => wanting(id, 9 - index));
    await book.ask(drain, config, asks);
    await connection.command("DEL", `${base}lane:a`, `${base}lane:c`);
    expect((await book.busiest(2)).lanes.map(({ lane: id }) => id)).toEqual(["b", "d"]);
    expect(await connection.command("ZRANGE", `${base}records`, 0, -1)).toEqual(["d", "b"]);
    await connection.command("ZADD", `${base}canary`, 1, "d");
    await book.views(0);
    expect(await connection.command("ZRANGE", `${base}records`, 0, -1)).toEqual(["b"]);
  });

  test("a question that changes nothing writes nothing; of a page that is held what it wants is counted, and no lane written", async () => {
    const book = open();
    const ask = { lane, origin, wanted: 300, resumeMinutes: minutes(1, 2) };
    const counts = [await sets()];
    for (const wanted of [300, 300, 0]) {
      await book.ask(drain, config, [{ ...ask, wanted }]);
      counts.push(await sets());
    }
    // The lane, when it was written, and the mark of the call.
    expect(counts.map((count) => count - counts[0]!)).toEqual([0, 3, 4, 4]);
    await book.recordComeBacks(comeBacks(first - 1, "down", ["p"]));
    await book.due();
    await book.views(9);
    await book.busiest(9);
    expect(await sets()).toBe(counts.at(-1));
  });
});

test("the id of a lane is of one drain and one origin", () => {
  const ids = [
    toLaneId("orders", "https://a.example"),
    toLaneId("order", "shttps://a.example"),
    toLaneId("refunds", "https://a.example"),
    toLaneId("orders", "https://b.example"),
  ];
  expect(new Set(ids).size).toBe(4);
});
