import { Redis } from "ioredis";
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
} from "vitest";
import { RedriverError } from "../../../../src/job/contracts/errors.ts";
import type { DrainName, SourceId } from "../../../../src/job/contracts/ids.ts";
import type { Job, ScheduledJob, WorkQueue } from "../../../../src/job/contracts/work-queue.ts";
import { readNextRuns } from "../../../../src/job/queue/apply-schedules.ts";
import { toBullmqConnection } from "../../../../src/job/redis/connect.ts";
import { openQueue, type RecordedEvents } from "../../../support/queue-redis.ts";
import { useRedis } from "../../../support/redis.ts";
import { waitFor } from "../../../support/wait-for.ts";

const server = useRedis();
let redis: Redis;
let prefix: string;
let events: RecordedEvents;
const open: WorkQueue[] = [];

beforeAll(() => {
  redis = new Redis(server.url());
});
afterAll(() => redis.disconnect());
beforeEach(() => {
  prefix = server.fresh().keyPrefix;
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((queue) => queue.close({ softMs: 0, hardMs: 2_000 })));
});

function replica(): WorkQueue {
  const opened = openQueue(server.url(), {
    keyPrefix: prefix,
    lock: { durationMs: 400, stalledIntervalMs: 200 },
  });
  ({ events } = opened);
  open.push(opened.queue);
  return opened.queue;
}

/** A replica that works, and the jobs that it was given. */
async function working() {
  const queue = replica();
  const seen: Job[] = [];
  await queue.start(async (job) => void seen.push(job));
  return { queue, seen };
}

function tick(schedule: ScheduledJob["schedule"], name = "orders"): ScheduledJob {
  return { id: `tick:${name}`, schedule, job: { kind: "tick", drain: name as DrainName } };
}
const every = (everyMs: number) => ({ kind: "every", everyMs }) as const;
/** Once a year, so that no test runs at its slot. */
const yearly = { kind: "cron", pattern: "0 0 1 1 *" } as const;

const repeatKey = (): string => `{${prefix}}:${prefix}-v1-short:repeat`;

async function next(id = "tick:orders"): Promise<number> {
  return Number(await redis.zscore(repeatKey(), id));
}

/** The pending iteration of a schedule as Redis holds it; `timestamp` says when it was made. */
async function pending(id = "tick:orders"): Promise<Record<string, string>> {
  return redis.hgetall(`${repeatKey()}:${id}:${await next(id)}`);
}

async function delayed(): Promise<string[]> {
  return redis.zrange(`{${prefix}}:${prefix}-v1-short:delayed`, "0", "-1");
}

describe("a schedule", () => {
  test.each([
    ["an interval", every(200)],
    ["a cron pattern", { kind: "cron", pattern: "* * * * * *" }],
  ] as const)(
    "of %s is put right where a replica whose clock was ahead made its next iteration",
    async (_name, schedule) => {
      const ahead = replica();
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 300_000 });
      await ahead.applySchedules([tick(schedule)]);
      vi.useRealTimers();
      expect(await next()).toBeGreaterThan(Date.now() + 200_000);
      const { queue, seen } = await working();
      await queue.applySchedules([tick(schedule)]);
      await waitFor(() => expect(seen.length).toBeGreaterThanOrEqual(3), { timeout: 30_000 });
    },
  );

  test.each([
    ["interval", every(3_600_000)],
    ["cron pattern", yearly],
  ])("of an unchanged %s keeps its pending iteration untouched", async (_name, schedule) => {
    const queue = replica();
    await queue.applySchedules([tick(schedule)]);
    const before = await pending();
    expect(before.timestamp).toBeDefined();
    await redis.hset(`${repeatKey()}:tick:orders:${await next()}`, "mark", "1");
    await queue.applySchedules([tick(schedule)]);
    expect(await pending()).toEqual({ ...before, mark: "1" });
  });

  test("whose interval changed goes on at the next slot of the new one and does not run at once", async () => {
    const week = 7 * 24 * 3_600_000;
    const { queue, seen } = await working();
    await queue.applySchedules([tick(every(week))]);
    await waitFor(() => expect(seen).toHaveLength(1));
    const changedAt = Date.now();
    await queue.applySchedules([tick(every(week / 2))]);
    const slot = await next();
    expect(slot).toBeGreaterThan(changedAt);
    expect(slot).toBeLessThanOrEqual(changedAt + week / 2);
    expect(await delayed()).toEqual([`repeat:tick:orders:${slot}`]);
    expect(seen).toHaveLength(1);
  });

  test("that is not among the given is kept while replicas differ, and removed when they do not", async () => {
    const queue = replica();
    await queue.applySchedules([tick(yearly), tick(yearly, "refunds")]);
    await queue.applySchedules([tick(yearly)], "keep");
    expect(await redis.zcard(repeatKey())).toBe(2);
    await queue.applySchedules([tick(yearly)]);
    expect(await redis.zrange(repeatKey(), "0", "-1")).toEqual(["tick:orders"]);
  });

  test("tells when it runs next to whoever asks, and asking leaves nothing behind", async () => {
    const connection = toBullmqConnection({ url: server.url() }, "queue");
    try {
      expect(await readNextRuns(connection, prefix)).toEqual(new Map());
      expect(await redis.keys(`{${prefix}}:*`)).toEqual([]);
      await replica().applySchedules([tick(yearly), tick(every(3_600_000), "refunds")]);
      const expected = new Map([
        ["tick:orders", await next()],
        ["tick:refunds", await next("tick:refunds")],
      ]);
      expect(await readNextRuns(connection, prefix)).toEqual(expected);
    } finally {
      connection.disconnect();
    }
  });

  test("that becomes a cron pattern, and back, has one pending iteration at a slot of the new kind", async () => {
    const queue = replica();
    await queue.applySchedules([tick(every(3_600_000))]);
    await queue.applySchedules([tick(yearly)]);
    const january = new Date(await next());
    expect([january.getUTCMonth(), january.getUTCDate(), january.getUTCHours()]).toEqual([0, 1, 0]);
    expect(await delayed()).toEqual([`repeat:tick:orders:${january.getTime()}`]);
    await queue.applySchedules([tick(every(3_600_000))]);
    expect((await next()) - Date.now()).toBeLessThanOrEqual(3_600_000);
    expect((await delayed()).length).toBe(1);
  });

  test("at midnight runs on a day whose midnight does not exist, whether new or made by a worker", async () => {
    const midnight = {
      kind: "cron",
      pattern: "0 0 * * *",
      timezone: "America/Santiago",
    } as const;
    onTestFinished(() => void vi.useRealTimers());
    vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-09-05T20:00:00Z") });
    const queue = replica();
    await queue.applySchedules([tick(midnight)]);
    const one = Date.parse("2026-09-06T04:00:00Z");
    expect(await next()).toBe(one);

    vi.setSystemTime(Date.parse("2026-09-05T03:59:59.900Z"));
    await queue.applySchedules([tick(midnight, "refunds")]);
    expect(await next("tick:refunds")).toBe(Date.parse("2026-09-05T04:00:00Z"));
    const seen: Job[] = [];
    await queue.start(async (job) => void seen.push(job));
    vi.setSystemTime(Date.parse("2026-09-05T04:00:01Z"));
    await waitFor(() => expect(seen).toEqual([{ kind: "tick", drain: "refunds" }]));
    await waitFor(async () => expect(await next("tick:refunds")).toBe(one));
  });

  test("whose pending iteration was lost comes alive when it is applied again", async () => {
    const queue = replica();
    let runs = 0;
    await queue.applySchedules([tick(yearly), tick(every(300), "refunds")]);
    for (const id of ["tick:orders", "tick:refunds"]) {
      await redis.del(`${repeatKey()}:${id}:${await next(id)}`);
    }
    await redis.del(`{${prefix}}:${prefix}-v1-short:delayed`, `{${prefix}}:${prefix}-v1-short:wait`);
    await queue.applySchedules([tick(yearly), tick(every(300), "refunds")]);
    expect(await pending()).toHaveProperty("timestamp");
    await queue.start(async () => void runs++);
    await waitFor(() => expect(runs).toBeGreaterThanOrEqual(2));
  });

  test("applied by a reload is not undone by an older call that is still under way", async () => {
    const queue = replica();
    await Promise.all([
      queue.applySchedules([tick(yearly)]),
      queue.applySchedules([tick(yearly, "refunds")]),
      queue.applySchedules([tick(yearly, "refunds"), tick(yearly, "carts")]),
    ]);
    expect((await redis.zrange(repeatKey(), "0", "-1")).toSorted()).toEqual(["tick:carts", "tick:refunds"]);
  });
});

describe("an iteration", () => {
  test("that fails is reported once, not tried again, and does not stop the schedule", async () => {
    const queue = replica();
    const seen: { at: number; lastTry: boolean }[] = [];
    await queue.start(async (_job, { lastTry }) => {
      seen.push({ at: Date.now(), lastTry });
      throw new RedriverError("service-unavailable", "expected 2xx, got 503");
    });
    await queue.applySchedules([tick(every(400))]);
    await waitFor(() => expect(seen.length).toBe(3), { timeout: 30_000 });
    expect(seen.every(({ lastTry }) => lastTry)).toBe(true);
    // Three runs in two intervals and no more: a retry would have come in between.
    expect(seen[2]!.at - seen[0]!.at).toBeGreaterThan(500);
    expect(events.of("job:failed").every(({ givenUp, kind }) => givenUp && kind === "tick")).toBe(true);
  });

  test("that took its process down three times is given up, and the schedule goes on", async () => {
    const queue = replica();
    const sweep: ScheduledJob = {
      id: "sweep:eu",
      schedule: every(300),
      job: { kind: "sweep", source: "eu" as SourceId },
    };
    await queue.applySchedules([sweep]);
    await redis.hset(`${repeatKey()}:sweep:eu:${await next("sweep:eu")}`, "stc", "3");
    const seen: Job[] = [];
    await queue.start(async (job) => void seen.push(job));
    await waitFor(() => expect(seen.length).toBeGreaterThanOrEqual(2));
    const failed = events.of("job:failed").filter(({ kind }) => kind === "sweep");
    expect(failed).toMatchObject([{ givenUp: true }]);
  });
});

/** The job of a tick of its own of the drain `orders`. */
const tickId = (at: number): string => `tick-once-orders-${Math.round(at / 1_000)}`;
const tickKey = (at: number): string => `{${prefix}}:${prefix}-v1-short:${tickId(at)}`;

describe("a tick of its own", () => {
  const orders = "orders" as DrainName;

  test("runs once when its moment has come, and not before", async () => {
    const queue = replica();
    const seen: { readonly job: Job; readonly at: number; readonly lastTry: boolean }[] = [];
    await queue.start(async (job, { lastTry }) => void seen.push({ job, at: Date.now(), lastTry }));
    const at = Date.now() + 400;
    await queue.addTick(orders, at);
    await waitFor(() => expect(seen.length).toBe(1), { timeout: 30_000 });
    expect(seen[0]).toMatchObject({ job: { kind: "tick", drain: "orders" }, lastTry: true });
    expect(seen[0]!.at).toBeGreaterThanOrEqual(at);
    await waitFor(async () => expect(await redis.exists(tickKey(at))).toBe(0));
    expect(await delayed()).toEqual([]);
  });

  test("asked for again for that second leaves the first as it is, whoever asks; another second and another drain have their own", async () => {
    const at = Math.ceil(Date.now() / 1_000) * 1_000 + 3_600_000;
    await replica().addTick(orders, at);
    const before = await redis.hgetall(tickKey(at));
    await replica().addTick(orders, at + 400);
    await replica().addTick(orders, at - 400);
    const later = at + 3_600_000;
    await replica().addTick(orders, later);
    await replica().addTick("refunds" as DrainName, at);
    expect((await delayed()).toSorted()).toEqual(
      [tickId(at), tickId(later), tickId(at).replace("orders", "refunds")].toSorted(),
    );
    expect(await redis.hgetall(tickKey(at))).toEqual(before);
    const dueAt = Number(before["timestamp"]) + Number(before["delay"]);
    // The moment of asking is taken twice on the way.
    expect(Math.round(dueAt / 1_000) * 1_000).toBe(at);
  });

  test("can be asked for again once it has run, also where it failed, and runs at once when its moment has passed", async () => {
    const queue = replica();
    let runs = 0;
    await queue.start(async () => {
      runs += 1;
      if (runs === 1) throw new RedriverError("service-unavailable", "expected 2xx, got 503");
    });
    for (const expected of [1, 2, 3]) {
      const at = Date.now() - 60_000;
      await queue.addTick(orders, at);
      await waitFor(() => expect(runs).toBe(expected), { timeout: 30_000 });
      await waitFor(async () => expect(await redis.exists(tickKey(at))).toBe(0));
    }
    expect(events.of("job:failed")).toMatchObject([{ kind: "tick", givenUp: true }]);
  });

  test("stays when schedules are applied, which know nothing of it", async () => {
    const queue = replica();
    const at = Date.now() + 3_600_000;
    await queue.addTick(orders, at);
    await queue.applySchedules([tick(yearly)]);
    await queue.applySchedules([]);
    expect(await delayed()).toEqual([tickId(at)]);
  });
});
