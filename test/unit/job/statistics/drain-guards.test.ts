import { describe, expect, it } from "vitest";
import { loadDocument } from "../../../../src/config/document/load-document.ts";
import type { DrainConfig, GuardConfig } from "../../../../src/job/contracts/drains-document.ts";
import { RedriverError } from "../../../../src/job/contracts/errors.ts";
import type { RedriverEvent } from "../../../../src/job/contracts/events.ts";
import type { GuardBook, GuardMemory, Guards } from "../../../../src/job/contracts/guards.ts";
import type { IndexReading } from "../../../../src/job/contracts/index-statistics.ts";
import { createGuards, judge } from "../../../../src/job/statistics/drain-guards.ts";
import { createMemoryStatisticsStore } from "../../../support/memory/memory-store.ts";
import { createRedisGuardBook } from "../../../../src/job/store/guards/redis-guard-book.ts";
import { source } from "../../../support/ledger-stands.ts";
import { useRedis } from "../../../support/redis.ts";
import { createManualClock, type ManualClock } from "../../../support/manual-clock.ts";

const redis = useRedis();

/** The drain of a document with these guards. */
function drainOf(...guards: readonly string[]): DrainConfig {
  const loaded = loadDocument(
    `version: 1
sources: { default: {} }
indexes:
  catalog: { id: a, credentials: { user: { env: U }, password: { env: P } } }
  users: { id: b, credentials: { user: { env: U }, password: { env: P } } }
drains:
  orders:
    guards: [${guards.join(", ")}]
    rules: [{ name: all, when: any, then: republish }]
`,
    "guards.yaml",
  );
  const drain = loaded.ok ? loaded.document.drains[0] : undefined;
  if (drain === undefined) throw new Error(JSON.stringify(loaded));
  return drain;
}

function guardOf(text: string): GuardConfig {
  const [guard] = drainOf(text).guards;
  if (guard === undefined) throw new Error("a guard");
  return guard;
}

const hysteresis = '{ index: catalog, hold: "pending_index_count > 10000", resume: "< 5000" }';

function reading(value: number | undefined, readAt = 1_000, index = "catalog"): IndexReading {
  const scalars = value === undefined ? {} : { pending_index_count: value };
  return { index, readAt, summary: { scalars, newest: {}, days: [], unusableFields: 0 } };
}

const closed: GuardMemory = { state: "closed", effect: "closed", readAt: 1 };
const open: GuardMemory = { state: "open", effect: "open", readAt: 1 };

describe("a guard", () => {
  it.each<[string, GuardMemory | null, number, "open" | "closed"]>([
    ["holds above its threshold", null, 10_001, "closed"],
    ["does not hold at it", null, 10_000, "open"],
    ["lets go below the other", closed, 4_999, "open"],
    ["does not let go at it", closed, 5_000, "closed"],
    ["keeps holding between the two", closed, 9_000, "closed"],
    ["keeps letting go between the two", open, 9_000, "open"],
    ["lets go between the two when nothing is remembered", null, 9_000, "open"],
    ["holds again", open, 20_000, "closed"],
  ])("%s", (_name, before, value, effect) => {
    const judged = judge(guardOf(hysteresis), reading(value), before);
    expect(judged.standing).toEqual({
      index: "catalog",
      field: "pending_index_count",
      effect,
      why: "reading",
      value,
    });
    expect(judged.memory).toEqual({ state: effect, effect, readAt: 1_000 });
  });

  it("without resume lets go as soon as it no longer holds", () => {
    const guard = guardOf('{ index: catalog, hold: "pending_index_count >= 100" }');
    expect(judge(guard, reading(100), null).standing.effect).toBe("closed");
    expect(judge(guard, reading(99), closed).standing.effect).toBe("open");
  });

  it.each([
    ["hold", "closed"],
    ["ignore", "open"],
  ] as const)(
    "without a fresh reading, or without that field, does what whenStale: %s says and keeps its state",
    (policy, effect) => {
      const guard = guardOf(hysteresis.replace("}", `, whenStale: ${policy} }`));
      for (const none of [undefined, reading(undefined)]) {
        for (const before of [closed, open]) {
          const judged = judge(guard, none, before);
          expect(judged.standing).toMatchObject({ effect, why: "stale", value: null });
          expect(judged.memory).toEqual({ state: before.state, effect, readAt: 1 });
        }
      }
    },
  );

  it("holds without a fresh reading unless told otherwise", () => {
    expect(judge(guardOf(hysteresis), undefined, null).standing.effect).toBe("closed");
  });
});

interface Stand {
  readonly clock: ManualClock;
  readonly events: RedriverEvent[];
  readonly forced: string[];
  readonly guards: Guards;
  readonly twin: Guards;
  read(value: number | undefined, index?: string): Promise<void>;
}

function stand(book: GuardBook = createRedisGuardBook(redis.fresh(), source)): Stand {
  const clock = createManualClock();
  const store = createMemoryStatisticsStore(clock);
  const events: RedriverEvent[] = [];
  const forced: string[] = [];
  const create = (): Guards =>
    createGuards({
      statistics: store,
      book,
      clock,
      events: { emit: (event) => void events.push(event) },
      forceFull: (drain) => {
        forced.push(drain);
        return Promise.resolve();
      },
    });
  return {
    clock,
    events,
    forced,
    guards: create(),
    twin: create(),
    read: (value, index = "catalog") => store.write(reading(value, clock.now(), index), 60_000),
  };
}

async function effects(guards: Guards, drain: DrainConfig): Promise<readonly string[]> {
  return (await guards.standings(drain)).map(({ effect }) => effect);
}

function refuse(): never {
  throw new Error("nothing is to be asked");
}

describe("the guards of a drain", () => {
  it("ask nothing where there are none", async () => {
    const guards = createGuards({
      statistics: { readAll: refuse },
      book: { recall: refuse, record: refuse },
      clock: createManualClock(),
      events: { emit: refuse },
      forceFull: refuse,
    });
    expect(await guards.standings(drainOf())).toEqual([]);
  });

  it("close and open with the readings, tell each change once, and then look at everything again", async () => {
    const { guards, twin, clock, read, events, forced } = stand();
    const drain = drainOf(hysteresis);
    const seen: (readonly string[])[] = [];
    for (const value of [4_000, 12_000, 7_000, 4_000, 7_000]) {
      await read(value);
      clock.advance(5_000);
      seen.push(await effects(guards, drain), await effects(twin, drain));
    }
    expect(seen.flat().join(" ")).toBe("open open closed closed closed closed open open open open");
    const seenIn = { drain: "orders", index: "catalog", field: "pending_index_count", why: "reading" };
    expect(events).toEqual([
      { type: "guard:closed", ...seenIn, value: 12_000 },
      { type: "guard:opened", ...seenIn, value: 4_000 },
    ]);
    expect(forced).toEqual(["orders"]);
  });

  it("a restart forgets nothing, and an edited guard starts anew", async () => {
    const book = createRedisGuardBook(redis.fresh(), source);
    const before = stand(book);
    await before.read(12_000);
    expect(await effects(before.guards, drainOf(hysteresis))).toEqual(["closed"]);
    const after = stand(book);
    after.clock.advance(60_000);
    await after.read(7_000);
    expect(await effects(after.guards, drainOf(hysteresis))).toEqual(["closed"]);
    expect(await effects(after.guards, drainOf(hysteresis.replace("10000", "11000")))).toEqual(["open"]);
  });

  it("a reading that goes stale closes a guard that waits for it, and a fresh one restores what it was", async () => {
    const { guards, clock, read, events, forced } = stand();
    const drain = drainOf(hysteresis);
    await read(7_000);
    expect(await effects(guards, drain)).toEqual(["open"]);
    clock.advance(60_000);
    expect(await effects(guards, drain)).toEqual(["closed"]);
    await read(7_000);
    clock.advance(5_000);
    expect(await effects(guards, drain)).toEqual(["open"]);
    expect(events.map((event) => event.type)).toEqual(["guard:closed", "guard:opened"]);
    expect(events[0]).toMatchObject({ why: "stale", value: null });
    expect(forced).toEqual(["orders"]);
  });

  it("look at everything again only when the last of them opens", async () => {
    const { guards, clock, read, forced } = stand();
    const drain = drainOf(hysteresis, hysteresis.replace("catalog", "users"));
    await read(12_000, "catalog");
    await read(12_000, "users");
    expect(await effects(guards, drain)).toEqual(["closed", "closed"]);
    await read(0, "catalog");
    clock.advance(5_000);
    expect(await effects(guards, drain)).toEqual(["open", "closed"]);
    expect(forced).toEqual([]);
    await read(0, "users");
    clock.advance(5_000);
    expect(await effects(guards, drain)).toEqual(["open", "open"]);
    expect(forced).toEqual(["orders"]);
  });

  it("can be looked at as they are just now, and nothing comes of it", async () => {
    const book = createRedisGuardBook(redis.fresh(), source);
    const { guards, clock, read, events, forced } = stand(book);
    const drain = drainOf(hysteresis);
    expect(await guards.peek(drainOf())).toEqual([]);
    await read(12_000);
    const standings = await guards.peek(drain);
    expect(standings).toMatchObject([{ effect: "closed", why: "reading", value: 12_000 }]);
    expect(await guards.standings(drain)).toEqual(standings);
    await read(7_000);
    expect(await guards.peek(drain)).toMatchObject([{ effect: "closed", value: 7_000 }]);
    await read(4_000);
    clock.advance(5_000);
    expect(await guards.peek(drain)).toMatchObject([{ effect: "open", value: 4_000 }]);
    // The opening is still to be noticed by those who act.
    expect({ forced, told: events.length }).toEqual({ forced: [], told: 1 });
    expect(await guards.standings(drain)).toMatchObject([{ effect: "open" }]);
    expect(forced).toEqual(["orders"]);
  });

  it("answer for up to five seconds without asking again, and not at all after a failure", async () => {
    const { clock, read, guards } = stand();
    const drain = drainOf(hysteresis);
    await read(4_000);
    expect(await effects(guards, drain)).toEqual(["open"]);
    await read(12_000);
    clock.advance(4_999);
    expect(await effects(guards, drain)).toEqual(["open"]);
    clock.advance(1);
    expect(await effects(guards, drain)).toEqual(["closed"]);

    let away = true;
    const memory = createRedisGuardBook(redis.fresh(), source);
    const flaky = stand({
      ...memory,
      recall: (...given) =>
        away ? Promise.reject(new RedriverError("redis-unavailable", "away")) : memory.recall(...given),
    });
    await flaky.read(4_000);
    await expect(flaky.guards.standings(drain)).rejects.toMatchObject({ code: "redis-unavailable" });
    away = false;
    expect(await effects(flaky.guards, drain)).toEqual(["open"]);
  });
});
