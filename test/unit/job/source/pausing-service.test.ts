import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { RedriverError } from "../../../../src/job/contracts/errors.ts";
import {
  calmForMs,
  failuresBeforePause,
  probeSlackMs,
  type SourcePauseBook,
} from "../../../../src/job/contracts/source-pauses.ts";
import type { BatchOutcome, MessageService } from "../../../../src/job/contracts/service.ts";
import { createRedisSourcePauseBook } from "../../../../src/job/store/source-pauses/redis-source-pauses.ts";
import { createPausingService } from "../../../../src/job/source/pausing-service.ts";
import { onClock, source } from "../../../support/ledger-stands.ts";
import { createManualClock, type ManualClock } from "../../../support/manual-clock.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();
const bookOn = (time: ManualClock) => createRedisSourcePauseBook(onClock(redis.fresh(), time), source);
const timeoutsMs = { list: 7_000, batch: 30_000, delete: 9_000 };
const unavailable = new RedriverError("service-unavailable", "expected 2xx, got 503");

const listings: Readonly<Record<"well" | "failing" | "hanging", MessageService["list"]>> = {
  well: () => Promise.resolve({ records: [] }),
  failing: () => Promise.reject(unavailable),
  hanging: () => new Promise<never>(() => undefined),
};

/** One replica: its own wall clock beside the time that passes for all, and what its service does next. */
function replica(book: SourcePauseBook, time: ManualClock) {
  let aheadMs = 0;
  let list = listings.well;
  let batch: BatchOutcome = { kind: "answered", items: [] };
  let calls = 0;
  const { service, pauses } = createPausingService({
    source,
    book,
    takeTurn: () => Promise.resolve(() => undefined),
    timeoutsMs,
    clock: { ...time, now: () => time.now() + aheadMs, random: () => 0 },
    events: { emit: () => undefined },
    service: {
      list(query, signal) {
        calls += 1;
        return list(query, signal);
      },
      publish() {
        calls += 1;
        return Promise.resolve(batch);
      },
      remove: () => Promise.reject(new Error("not here")),
      retry: () => Promise.reject(new Error("not here")),
      clockOffsetMs: () => undefined,
    },
  });
  return {
    pauses,
    calls: () => calls,
    setClock: (ms: number) => void (aheadMs = ms),
    list: () =>
      service.list({ select: {}, count: 1 }).then(
        () => "listed",
        (error: unknown) => (error instanceof RedriverError ? error.code : "odd"),
      ),
    publish: () => service.publish(["{}"], () => true),
    listing: () => service.list({ select: {}, count: 1 }),
    limits: (retryAt: number) =>
      void (list = () =>
        Promise.reject(new RedriverError("rate-limited", "expected 2xx, got 429", { retryAt, status: 429 }))),
    listsBy: (next: MessageService["list"]) => void (list = next),
    lists: (next: "well" | "failing" | "hanging") => void (list = listings[next]),
    publishes: (next: BatchOutcome) => void (batch = next),
  };
}

async function failing(one: ReturnType<typeof replica>): Promise<void> {
  one.lists("failing");
  for (let call = 0; call < failuresBeforePause; call += 1) await one.list();
  one.lists("well");
}

test.each([-300_000, 300_000])("a replica's clock that is moved by %s ms changes no rest", async (byMs) => {
  const time = createManualClock();
  const one = replica(bookOn(time), time);
  one.publishes({ kind: "not-sent", why: "rate-limited", error: "429", retryAt: time.now() + 10_000 });
  await one.publish();
  one.publishes({ kind: "answered", items: [] });
  one.setClock(byMs);
  time.advance(9_999);
  expect(one.pauses.leftMs("batch")).toBe(1);
  expect(await one.publish()).toMatchObject({ kind: "not-sent", why: "resting" });
  time.advance(1);
  expect(one.pauses.leftMs("batch")).toBe(0);
  expect(await one.publish()).toMatchObject({ kind: "answered" });
  expect(one.calls()).toBe(2);
});

test("a source that fails is known as failing between its probes, until an answer to anybody", async () => {
  const time = createManualClock();
  const [one, two] = [replica(bookOn(time), time), replica(bookOn(time), time)];
  await failing(one);
  time.advance(20_000);
  expect([one.pauses.leftMs("dlq"), one.pauses.isFailing(), two.pauses.isFailing()]).toEqual([
    0,
    true,
    false,
  ]);
  expect(await one.list()).toBe("listed");
  expect(one.pauses.isFailing()).toBe(false);
});

function counted(book: SourcePauseBook) {
  let asked = 0;
  const ask: SourcePauseBook["ask"] = (callClass, leaseMs) => {
    asked += 1;
    return book.ask(callClass, leaseMs);
  };
  return { book: { ...book, ask }, asked: () => asked };
}

describe("a calm source", () => {
  test("is asked about once a second, however many calls are made", async () => {
    const time = createManualClock();
    const { book, asked } = counted(bookOn(time));
    const one = replica(book, time);
    await Promise.all([one.list(), one.publish(), one.list(), one.list()]);
    time.advance(calmForMs - 1);
    expect(await one.list()).toBe("listed");
    expect(asked()).toBe(1);
    time.advance(1);
    await one.publish();
    expect(asked()).toBe(2);
  });

  test.each([
    ["failing", 3],
    ["limited", 2],
  ] as const)("is asked about after a call here is %s, until all is calm again", async (how, times) => {
    const time = createManualClock();
    const { book, asked } = counted(bookOn(time));
    const one = replica(book, time);
    await one.list();
    if (how === "failing") one.lists("failing");
    else one.limits(time.now() + 100);
    await one.list();
    expect(asked()).toBe(1);
    one.lists("well");
    time.advance(100);
    await one.list();
    expect(asked()).toBe(2);
    await one.list();
    await one.list();
    expect(asked()).toBe(times);
  });

  test("is no longer thought calm by anybody when a pause of another is a second old", async () => {
    const time = createManualClock();
    const book = bookOn(time);
    const [one, two] = [replica(book, time), replica(book, time)];
    await two.list();
    one.limits(time.now() + 60_000);
    await one.list();
    time.advance(calmForMs - 1);
    expect(await two.list()).toBe("listed");
    time.advance(1);
    expect(await two.list()).toBe("rate-limited");
  });

  test("is not shown by an answer from before a failure", async () => {
    const time = createManualClock();
    const { book, asked } = counted(bookOn(time));
    const arrival = new AbortController();
    const slow: SourcePauseBook = {
      ...book,
      async ask(callClass, leaseMs) {
        const answer = await book.ask(callClass, leaseMs);
        if (callClass === "batch") await once(arrival.signal, "abort");
        return answer;
      },
    };
    const one = replica(slow, time);
    const failure = new AbortController();
    one.listsBy(async () => {
      await once(failure.signal, "abort");
      throw unavailable;
    });
    const listing = one.list();
    await expect.poll(() => one.calls()).toBe(1);
    time.advance(calmForMs);
    const publishing = one.publish();
    await expect.poll(() => asked()).toBe(2);
    failure.abort();
    await listing;
    arrival.abort();
    await publishing;
    one.lists("well");
    await one.list();
    expect(asked()).toBe(3);
  });
});

/** Two replicas as the rest that one began is over. */
async function atRestsEnd() {
  const time = createManualClock();
  const book = bookOn(time);
  const [one, two] = [replica(book, time), replica(book, time)];
  await failing(one);
  time.advance(1_000);
  return { time, one, two };
}

describe("a probe", () => {
  test.each<BatchOutcome>([
    { kind: "not-sent", why: "too-late", error: "the last byte was withheld" },
    { kind: "not-sent", why: "stopped", error: "stopped before it was sent" },
  ])("that says nothing of the service is another's at once: $why", async (outcome) => {
    const { one, two } = await atRestsEnd();
    one.publishes(outcome);
    await one.publish();
    expect(await two.list()).toBe("listed");
  });

  test("that never ends keeps others away no longer than its call could take", async () => {
    const { time, one, two } = await atRestsEnd();
    one.lists("hanging");
    void one.list();
    await expect.poll(() => one.calls()).toBe(failuresBeforePause + 1);
    for (let passed = 0; passed < timeoutsMs.list + probeSlackMs; passed += 1_000) {
      expect(await two.list()).toBe("service-resting");
      time.advance(1_000);
    }
    expect(await two.list()).toBe("listed");
  });
});

describe("a pause of a day", () => {
  const dayMs = 24 * 3_600_000;
  const fiveMinutes = 5 * 60_000;

  async function paused() {
    const time = createManualClock();
    const book = bookOn(time);
    const [one, two] = [replica(book, time), replica(book, time)];
    const limited = (): BatchOutcome => ({
      kind: "not-sent",
      why: "rate-limited",
      error: "429",
      retryAt: time.now() + dayMs,
    });
    one.publishes(limited());
    const outcome = await one.publish();
    return { time, one, two, limited, outcome };
  }

  test("holds nobody for longer than until its next probe", async () => {
    const { time, one, two, outcome } = await paused();
    const inFive = { kind: "not-sent", retryAt: time.now() + fiveMinutes };
    expect(outcome).toMatchObject({ ...inFive, why: "rate-limited" });
    expect(await two.publish()).toMatchObject({ ...inFive, why: "resting" });
    expect(one.pauses.leftMs("batch")).toBe(fiveMinutes);
    expect(one.calls() + two.calls()).toBe(1);
    expect(await two.list()).toBe("listed");
  });

  test("costs one call in five minutes while it lasts, of all replicas together", async () => {
    const { time, one, two, limited } = await paused();
    for (let round = 1; round <= 3; round += 1) {
      time.advance(fiveMinutes);
      one.publishes(limited());
      two.publishes(limited());
      await one.publish();
      await two.publish();
      await one.publish();
      expect(one.calls() + two.calls()).toBe(1 + round);
    }
  });

  test("of listings is shown as one until the next probe", async () => {
    const time = createManualClock();
    const one = replica(bookOn(time), time);
    one.limits(time.now() + dayMs);
    await expect(one.listing()).rejects.toMatchObject({
      code: "rate-limited",
      retryAt: time.now() + fiveMinutes,
      status: 429,
    });
  });
});
