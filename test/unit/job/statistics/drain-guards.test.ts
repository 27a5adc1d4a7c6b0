import { describe, expect, it } from "vitest";
import { loadDocument } from "../../../../src/config/document/load-document.ts";
import type { DrainConfig, GuardConfig } from "../../../../src/job/contracts/drains-document.ts";
import { RedriverError } from "../../../../src/job/contracts/errors.ts";
import type { RedriverEvent } from "../../../../src/job/contracts/events.ts";
import type { GuardBook, GuardMemory, Guards } from "../../../../src/job/contracts/guards.ts";
import type { IndexReading } from "../../../../src/job/contracts/index-statistics.ts";
import { createGuards, judge } from "../../../../src/job/statistics/drain-guards.ts";
import { createRedisGuardBook } from "../../../../src/job/store/guards/redis-guard-book.ts";
import { source } from "../../../support/ledger-stands.ts";
import { useRedis } from "../../../support/redis.ts";
import { createManualClock } from "../../../support/manual-clock.ts";

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

const plain = '{ index: catalog, hold: "pending_index_count > 10000" }';

describe("a guard", () => {
  it.each<[string, GuardMemory | null, number, "open" | "closed", guard?: string]>([
    ["holds above its threshold", null, 10_001, "closed"],
    ["does not hold at it", null, 10_000, "open"],
    ["lets go below the other", closed, 4_999, "open"],
    ["does not let go at it", closed, 5_000, "closed"],
    ["keeps holding between the two", closed, 9_000, "closed"],
    ["keeps letting go between the two", open, 9_000, "open"],
    ["lets go between the two when nothing is remembered", null, 9_000, "open"],
    ["holds again", open, 20_000, "closed"],
    ["without resume lets go as soon as it no longer holds", closed, 10_000, "open", plain],
  ])("%s", (_name, before, value, effect, guard = hysteresis) => {
    const judged = judge(guardOf(guard), reading(value), before);
    expect(judged.standing).toEqual({
      index: "catalog",
      field: "pending_index_count",
      effect,
      why: "reading",
      value,
    });
    expect(judged.memory).toEqual({ state: effect, effect, readAt: 1_000 });
  });

  it.each([
    ["whenStale: hold", "closed"],
    ["whenStale: ignore", "open"],
    ["no word of it", "closed"],
  ] as const)(
    "without a fresh reading, or without that field, does what %s says and keeps its state",
    (policy, effect) => {
      const guard = guardOf(hysteresis.replace("}", policy.startsWith("when") ? `, ${policy} }` : "}"));
      for (const none of [undefined, reading(undefined)]) {
        for (const before of [closed, open]) {
          const judged = judge(guard, none, before);
          expect(judged.standing).toMatchObject({ effect, why: "stale", value: null });
          expect(judged.memory).toEqual({ state: before.state, effect, readAt: 1 });
        }
      }
    },
  );
});

/** Guards of two replicas, whose readings go stale after a minute. */
function stand(book: GuardBook = createRedisGuardBook(redis.fresh(), source)) {
  const clock = createManualClock();
  const kept = new Map<string, IndexReading>();
  const events: RedriverEvent[] = [];
  const forced: string[] = [];
  const create = (): Guards =>
    createGuards({
      statistics: {
        readAll: async (indexes) =>
          indexes
            .flatMap((index) => kept.get(index) ?? [])
            .filter(({ readAt }) => readAt + 60_000 > clock.now()),
      },
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
    read: (value: number, index = "catalog") => kept.set(index, reading(value, clock.now(), index)),
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
    expect(await stand({ recall: refuse, record: refuse }).guards.standings(drainOf())).toEqual([]);
  });

  it("close and open with the readings, tell each change once, and then look at everything again", async () => {
    const { guards, twin, clock, read, events, forced } = stand();
    const drain = drainOf(hysteresis);
    const seen: (readonly string[])[] = [];
    for (const value of [4_000, 12_000, 7_000, 4_000, 7_000]) {
      read(value);
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
    before.read(12_000);
    expect(await effects(before.guards, drainOf(hysteresis))).toEqual(["closed"]);
    const after = stand(book);
    after.clock.advance(60_000);
    after.read(7_000);
    expect(await effects(after.guards, drainOf(hysteresis))).toEqual(["closed"]);
    expect(await effects(after.guards, drainOf(hysteresis.replace("10000", "11000")))).toEqual(["open"]);
  });

  it("a reading that goes stale closes a guard that waits for it, and a fresh one restores what it was", async () => {
    const { guards, clock, read, events, forced } = stand();
    const drain = drainOf(hysteresis);
    read(7_000);
    expect(await effects(guards, drain)).toEqual(["open"]);
    clock.advance(60_000);
    expect(await effects(guards, drain)).toEqual(["closed"]);
    read(7_000);
    clock.advance(5_000);
    expect(await effects(guards, drain)).toEqual(["open"]);
    expect(events.map((event) => event.type)).toEqual(["guard:closed", "guard:opened"]);
    expect(events[0]).toMatchObject({ why: "stale", value: null });
    expect(forced).toEqual(["orders"]);
  });

  it("look at everything again only when the last of them opens", async () => {
    const { guards, clock, read, forced } = stand();
    const drain = drainOf(hysteresis, hysteresis.replace("catalog", "users"));
    read(12_000, "catalog");
    read(12_000, "users");
    expect(await effects(guards, drain)).toEqual(["closed", "closed"]);
    read(0, "catalog");
    clock.advance(5_000);
    expect(await effects(guards, drain)).toEqual(["open", "closed"]);
    expect(forced).toEqual([]);
    read(0, "users");
    clock.advance(5_000);
    expect(await effects(guards, drain)).toEqual(["open", "open"]);
    expect(forced).toEqual(["orders"]);
  });

  it("can be looked at as they are just now, and nothing comes of it", async () => {
    const book = createRedisGuardBook(redis.fresh(), source);
    const { guards, clock, read, events, forced } = stand(book);
    const drain = drainOf(hysteresis);
    expect(await guards.peek(drainOf())).toEqual([]);
    read(12_000);
    const standings = await guards.peek(drain);
    expect(standings).toMatchObject([{ effect: "closed", why: "reading", value: 12_000 }]);
    expect(await guards.standings(drain)).toEqual(standings);
    read(7_000);
    expect(await guards.peek(drain)).toMatchObject([{ effect: "closed", value: 7_000 }]);
    read(4_000);
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
    read(4_000);
    expect(await effects(guards, drain)).toEqual(["open"]);
    read(12_000);
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
    flaky.read(4_000);
    await expect(flaky.guards.standings(drain)).rejects.toMatchObject({ code: "redis-unavailable" });
    away = false;
    expect(await effects(flaky.guards, drain)).toEqual(["open"]);
  });
});
