import { describe, expect, it } from "vitest";
import type { LimitsConfig } from "../../../../../src/job/contracts/drains-document.ts";
import { RedriverError } from "../../../../../src/job/contracts/errors.ts";
import type { DrainName, PassId, SourceId } from "../../../../../src/job/contracts/ids.ts";
import type { Capacity, CapacityQuery } from "../../../../../src/job/contracts/capacity.ts";
import type { HoldReason } from "../../../../../src/job/rules/decision.ts";
import type { Rate } from "../../../../../src/job/rules/rule-spec.ts";
import type { DrainRuntime } from "../../../../../src/job/runtime.ts";
import { hold, type Fate } from "../../../../../src/job/page/fate.ts";
import { leavesCapacityUnused, roundsOf } from "../../../../../src/job/page/gates/rounds.ts";
import type { Letter } from "../../../../../src/job/page/letter.ts";
import { createUnworkableRecords } from "../../../../../src/job/page/unworkable-records.ts";
import { createRedisCapacity } from "../../../../../src/job/store/capacity/redis-capacity.ts";
import { defaultLimits, onClock } from "../../../../support/ledger-stands.ts";
import { dueLetter, openView, type DueFields } from "../../../../support/letters.ts";
import { createManualClock, type ManualClock } from "../../../../support/manual-clock.ts";
import { useRedis } from "../../../../support/redis.ts";

const redis = useRedis();

interface Stand {
  readonly clock: ManualClock;
  readonly queries: CapacityQuery[];
  /** Redis has not answered yet, so no time may pass. */
  readonly isAsking: () => boolean;
  readonly drain: DrainRuntime;
}

function stand(limits: LimitsConfig, ruleLimits: Readonly<Record<string, Rate>> = {}, broken = false): Stand {
  const clock = createManualClock();
  let calls = 0;
  const token = (): string => `call-${(calls += 1)}`;
  const shared = createRedisCapacity(onClock(redis.fresh(), clock), { token });
  let asking = 0;
  const asked = async <Answer>(answer: Promise<Answer>): Promise<Answer> => {
    asking += 1;
    try {
      return await answer;
    } finally {
      asking -= 1;
    }
  };
  const queries: CapacityQuery[] = [];
  const capacity: Capacity = {
    ...shared,
    take: (query) => {
      queries.push(query);
      return asked(shared.take(query));
    },
    giveBack: (query, at) =>
      broken
        ? Promise.reject(new RedriverError("redis-unavailable", "away"))
        : asked(shared.giveBack(query, at)),
  };
  const rules = Object.entries(ruleLimits).map(([name, limit]) => ({ name, limit }));
  const drain = {
    config: { name: "orders", limits, rules, guards: [] },
    source: {
      config: { id: "eu" },
      deliveryWatch: { isOn: () => false },
      clock,
      capacity,
      health: { current: () => ({ state: "usable" }) },
      pausesOf: async () => [],
      unworkable: createUnworkableRecords(),
      ledger: { limits: defaultLimits },
    },
  };
  const isAsking = () => asking > 0;
  return { clock, queries, isAsking, drain: drain as unknown as DrainRuntime };
}

const inDoubt = openView();
const pastHorizon = openView({ pastHorizon: true });

const due = (dlqId: string, fields: DueFields = {}): Letter => dueLetter({ dlqId, enteredAt: 0, ...fields });

function dueLetters(count: number, fields: DueFields = {}, name = "r"): readonly Letter[] {
  return Array.from({ length: count }, (_, index) => due(`${name}${index}`, fields));
}

interface Run {
  readonly batches: { readonly at: number; readonly ids: readonly string[] }[];
  /** At the end: those that were held. */
  readonly held: Promise<readonly Letter[]>;
}

interface RunOptions {
  readonly passId?: PassId;
  readonly stop?: AbortSignal;
  readonly unused?: (free: readonly Letter[]) => readonly Letter[];
  readonly pageAgeMs?: number;
}

const published: Fate = {
  kind: "published",
  deduplicated: false,
  isOfNow: true,
  isDeleteAudited: false,
};

function run({ drain, clock }: Stand, all: readonly Letter[], options: RunOptions = {}): Run {
  const batches: Run["batches"] = [];
  const start = clock.now();
  const { passId, pageAgeMs = 0 } = options;
  const signal = new AbortController().signal;
  const consume = async (): Promise<readonly Letter[]> => {
    const sent = new Set<Letter>();
    const ofPass = passId === undefined ? drain : { ...drain, passId };
    const signals = { signal, stop: options.stop ?? signal };
    for await (const free of roundsOf(ofPass, all, start - pageAgeMs, signals)) {
      expect(free.every(({ fate, wait }) => fate === null && wait === null)).toBe(true);
      batches.push({ at: clock.now() - start, ids: free.map(({ dlqId }) => dlqId) });
      const unused = options.unused?.(free) ?? [];
      for (const one of free) {
        if (unused.includes(one)) hold(one, "not-sent");
        else one.fate = published;
        sent.add(one);
      }
    }
    expect(all.every(({ fate }) => fate !== null)).toBe(true);
    return all.filter((one) => one.fate?.kind === "held" && !sent.has(one));
  };
  return { batches, held: consume() };
}

/** Lets the stage run on until it sleeps or is done, then moves time to where it wakes. */
async function play({ clock, isAsking }: Stand, { held }: Run): Promise<readonly Letter[]> {
  const state = { isDone: false };
  const done = held.finally(() => {
    state.isDone = true;
  });
  for (let steps = 0; !state.isDone && steps < 100_000; steps += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    if (!state.isDone && !isAsking() && clock.pending() > 0) clock.advance(10);
  }
  return done;
}

function reasonsOf(letters: readonly Letter[]): readonly string[] {
  return letters.map(({ fate }) => (fate?.kind === "held" ? fate.decision.reason : String(fate?.kind)));
}

const perSecond = (count: number): Rate => ({ count, perMs: 1_000 });
const perHour = (count: number): Rate => ({ count, perMs: 3_600_000 });

const ofTwoHosts = () => [
  due("a3", { host: "a", enteredAt: 30 }),
  due("a1", { host: "a", enteredAt: 10 }),
  due("b9", { host: "b", enteredAt: 90 }),
  due("again", { host: "b", enteredAt: 99, view: inDoubt }),
  due("a2", { host: "a", enteredAt: 20 }),
  due("b8", { host: "b", enteredAt: 80 }),
];

describe("letters and capacity", () => {
  it("a slow host keeps nobody else waiting, and is itself at its rate", async () => {
    const world = stand({ publish: perSecond(20), perHost: perSecond(5) });
    const all = [
      ...dueLetters(12, { host: "slow.example.com" }, "slow"),
      ...dueLetters(4, { host: "Fast.example.com:443" }, "fast"),
      ...dueLetters(3, { queue: "mails" }, "queue"),
    ];
    const work = run(world, all);
    expect(await play(world, work)).toEqual([]);
    expect(work.batches.map(({ at, ids }) => [at, ids.length])).toEqual([
      [0, 12],
      [1_000, 5],
      [2_000, 2],
    ]);
    const inTurn = ["slow.example.com", "fast.example.com", "queue:mails"];
    expect(world.queries[0]?.requests.map(({ host }) => host)).toEqual([
      ...inTurn,
      ...inTurn,
      ...inTurn,
      "slow.example.com",
      "fast.example.com",
      ...Array<string>(8).fill("slow.example.com"),
    ]);
  });

  it("to each host goes what entered first, hosts in turn, and what reconciles before all", async () => {
    const inOrder = ["again", "a1", "b8", "a2", "b9", "a3"];
    const limited = stand({ publish: perSecond(20) });
    const ordered = run(limited, ofTwoHosts());
    expect(await play(limited, ordered)).toEqual([]);
    expect(ordered.batches.flatMap(({ ids }) => ids)).toEqual(inOrder);
    // If there is no time for all, the youngest of each host are left.
    const world = stand({ perPass: 3 });
    const work = run(world, ofTwoHosts(), { passId: "p" as PassId });
    const left = await play(world, work);
    expect(left.map(({ dlqId }) => dlqId)).toEqual(["a3", "b9"]);
  });

  it("turns that come close together are taken together", async () => {
    const world = stand({ perHost: perSecond(4) });
    for (const host of ["a", "b"]) {
      const first = run(world, dueLetters(4, { host }));
      await play(world, first);
      world.clock.advance(200);
    }
    const work = run(world, [...dueLetters(4, { host: "a" }), ...dueLetters(4, { host: "b" })]);
    expect(await play(world, work)).toEqual([]);
    expect(work.batches.map(({ ids }) => ids.length)).toEqual([8]);
  });

  it("what cannot have its turn in good time is held at once, with the limit and the time", async () => {
    const world = stand({ publish: perSecond(20), perHost: perSecond(1) });
    const work = run(world, dueLetters(20));
    const results = await play(world, work);
    // One at once and one a second for the 15 s that are waited for a host.
    expect(work.batches).toHaveLength(16);
    expect(reasonsOf(results)).toEqual(Array<string>(4).fill("rate-limit"));
    expect(results[0]?.fate).toMatchObject({
      decision: { rule: "outage", until: world.clock.now() - 15_000 + 16_000 },
      why: "limits.perHost is 1/s, for api.example.com",
    });
  });

  it("a host that was slowed down delays a page as much less, and the others go on", async () => {
    const auto = { fromPerSecond: 10, toPerSecond: 100, watchMs: 60_000 };
    const world = stand({ perHost: auto });
    const { capacity } = world.drain.source;
    const of = { source: "eu" as SourceId, drain: "orders" as DrainName };
    await play(world, run(world, dueLetters(10, { host: "slow" })));
    for (const parentDlqId of ["a", "b", "c"]) {
      await capacity.failedAgain(of, [{ host: "slow", parentDlqId, isCanary: true }]);
      world.clock.advance(60_000);
    }
    expect(await capacity.learned(of, 1)).toMatchObject([{ host: "slow", perSecond: 1 }]);
    const work = run(world, [...dueLetters(20, { host: "slow" }), ...dueLetters(20, { host: "fast" }, "f")]);
    const results = await play(world, work);
    expect(work.batches.map(({ at, ids }) => [at, ids.length])).toEqual([
      [0, 11],
      [1_000, 11],
    ]);
    expect(reasonsOf(results)).toEqual(Array<string>(18).fill("rate-limit"));
    expect(results[0]?.fate).toMatchObject({ why: "limits.perHost is auto, 1/s now, for slow" });
  });

  it("a turn that is far off is not waited for", async () => {
    const world = stand({}, { outage: perHour(100) });
    const work = run(world, [...dueLetters(3), ...dueLetters(2, { rule: "other" })]);
    const results = await work.held;
    expect(work.batches.map(({ ids }) => ids.length)).toEqual([3]);
    expect(reasonsOf(results)).toEqual(["rate-limit", "rate-limit"]);
    expect(results[0]?.fate).toMatchObject({
      decision: { until: world.clock.now() + 36_000 },
      why: "the rule's limit is 100/h",
    });
  });

  it("an old page waits no longer than it may still begin", async () => {
    const world = stand({ publish: perSecond(1) });
    const work = run(world, dueLetters(50), { pageAgeMs: defaultLimits.maxPageAgeMs / 2 - 3_000 });
    expect(reasonsOf(await play(world, work))).toHaveLength(46);
    expect(work.batches.at(-1)?.at).toBe(3_000);
  });

  it("ceilings hold what is above them, by their names", async () => {
    const world = stand({ perPass: 3, perDay: 5 });
    const passes = ["p1", "p2"] as PassId[];
    const first = await run(world, dueLetters(4), { passId: passes[0]! }).held;
    expect(reasonsOf(first)).toEqual(["pass-limit"]);
    expect(first[0]?.fate).toMatchObject({ why: "limits.perPass is 3" });
    expect(first[0]?.fate).not.toHaveProperty("decision.until");
    const second = await run(world, dueLetters(4), { passId: passes[1]! }).held;
    const midnight = Math.ceil(world.clock.now() / 86_400_000) * 86_400_000;
    expect(reasonsOf(second)).toEqual(["day-limit", "day-limit"]);
    expect(second[0]?.fate).toMatchObject({ why: "limits.perDay is 5", decision: { until: midnight } });
  });

  it("what may have been published before goes first, and past ceilings while that can be found out", async () => {
    const world = stand({ publish: perSecond(3), perDay: 1 });
    const work = run(world, [
      due("late", { view: pastHorizon }),
      due("new"),
      due("doubtful", { view: inDoubt }),
      due("doubtful-too", { view: inDoubt }),
    ]);
    const results = await play(world, work);
    expect(work.batches.map(({ ids }) => ids)).toEqual([["doubtful", "doubtful-too", "late"]]);
    expect(reasonsOf(results)).toEqual(["day-limit"]);
  });

  it("what was granted and not sent is given back", async () => {
    const world = stand({ publish: perSecond(10), perDay: 10 });
    const unsent = run(world, dueLetters(10), { unused: (free) => free.slice(0, 6) });
    expect(await unsent.held).toEqual([]);
    const work = run(world, dueLetters(7));
    expect(reasonsOf(await play(world, work))).toEqual(["day-limit"]);
    expect(work.batches).toMatchObject([{ at: 0 }]);
  });

  it("capacity that cannot be given back stops nothing", async () => {
    const world = stand({ publish: perSecond(10) }, {}, true);
    expect(await run(world, dueLetters(10), { unused: (free) => free }).held).toEqual([]);
  });

  it("a stop ends the wait: what is left stays due", async () => {
    const world = stand({ publish: perSecond(10) });
    const stop = new AbortController();
    const work = run(world, dueLetters(25), { stop: stop.signal });
    while (world.clock.pending() === 0) await new Promise((resolve) => setImmediate(resolve));
    stop.abort(new Error("stopping"));
    expect(reasonsOf(await work.held)).toEqual(Array<string>(15).fill("stopping"));
    expect(work.batches.map(({ ids }) => ids.length)).toEqual([10]);
  });
});

const held = (...reasons: readonly HoldReason[]) =>
  reasons.map((reason): Fate => ({ kind: "held", decision: { then: "hold", reason, rule: null } }));
const parked = (reason: "refused" | "too-large" | "vanished"): Fate => ({
  kind: "parked",
  decision: { then: "park", reason, rule: null },
});
const withoutPost: readonly (Fate | null)[] = [
  null,
  { kind: "done-before", isSettledElsewhere: true },
  ...held("in-flight", "paused", "settle-gate", "page-too-old", "not-sent", "stopping"),
  parked("vanished"),
];
const withPost: readonly Fate[] = [
  published,
  { kind: "in-doubt" },
  ...held("refused-alone", "source-halted"),
  parked("refused"),
  parked("too-large"),
];

const isUnused = (fate: Fate | null) => leavesCapacityUnused(Object.assign(dueLetter(), { fate }));

it("capacity is left unused by what led to no POST", () => {
  expect(withoutPost.filter((fate) => !isUnused(fate))).toEqual([]);
  expect(withPost.filter(isUnused)).toEqual([]);
});
