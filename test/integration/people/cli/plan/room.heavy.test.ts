import { describe, expect, it } from "vitest";
import { createRedisStatisticsStore } from "../../../../../src/job/store/statistics/redis-statistics-store.ts";
import type { DrainReport } from "../../../../../src/people/plan/plan-drain.ts";
import { createPlanStand, type PlanStand } from "../../../../support/plan-stand.ts";
import { useRedis } from "../../../../support/redis.ts";

const redis = useRedis();

const document = (more = "") => `
version: 1
sources: { default: {} }
indexes:
  catalog: { id: a, credentials: { user: { env: U }, password: { env: P } } }
  users: { id: b, credentials: { user: { env: U }, password: { env: P } } }
drains:
  orders:
    mode: live
    minAge: 2m
    attempts: { max: 5, wait: [2m] }
    lane: none
    limits: { publish: none, perHost: none, perPass: 40, perDay: 50 }
    rules:
      - { name: outage, when: { responseStatus: 503 }, then: republish }
${more}`;

async function planned(stand: PlanStand): Promise<DrainReport> {
  const { out, exitCode } = await stand.run(["plan", "orders", "--json"]);
  expect(exitCode).toBe(0);
  return (JSON.parse(out) as { drains: [DrainReport] }).drains[0];
}

async function keysOf({ env }: PlanStand): Promise<readonly string[]> {
  return (await redis.fresh().command("KEYS", `${env["REDRIVER_REDIS_KEY_PREFIX"]}:*`)) as string[];
}

it("a plan says what of the day is used, and over how many days the rest is spread", async () => {
  const stand = await createPlanStand(redis.url(), { document: document() });
  stand.seed(30);
  expect((await stand.run(["drain", "orders", "--yes"])).exitCode).toBe(0);
  await stand.emulator.idle();
  stand.seed(75);
  const { room, estimate } = await planned(stand);
  expect(room).toMatchObject({
    closedGuards: [],
    perDay: { limit: 50, used: 30, left: 20 },
    perPass: { limit: 40, usedByOpenPass: null },
  });
  // 20 today, 50 tomorrow, 5 the day after.
  expect(estimate).toMatchObject({
    publishes: 75,
    passes: 2,
    days: 3,
  });
  const { out } = await stand.run(["plan", "orders"]);
  expect(out.replaceAll(/\s+/g, " ")).toContain(
    "per day 30 of 50 used today (UTC), 20 left, spread over 3 days or more",
  );
});

const guards = `    guards:
      - { index: catalog, hold: "pending_index_count > 10000", resume: "< 5000" }
      - { index: users, hold: "pending_index_count > 10", whenStale: ignore }
`;

it("a plan names closed guards with value and thresholds, and leaves no trace of having looked", async () => {
  const stand = await createPlanStand(redis.url(), { document: document(guards) });
  stand.seed(3);
  const { out: stale } = await stand.run(["plan", "orders"]);
  expect(stale.replaceAll(/\s+/g, " ")).toContain("index catalog, no fresh reading of pending_index_count");
  const connection = { ...redis.fresh(), keyPrefix: String(stand.env["REDRIVER_REDIS_KEY_PREFIX"]) };
  await createRedisStatisticsStore(connection).write(
    {
      index: "catalog",
      readAt: Date.now(),
      summary: { scalars: { pending_index_count: 12_000 }, newest: {}, days: [], unusableFields: 0 },
    },
    60_000,
  );
  const { room } = await planned(stand);
  expect(room.closedGuards).toEqual([
    {
      index: "catalog",
      field: "pending_index_count",
      why: "reading",
      value: 12_000,
      holdsAt: "> 10000",
      resumesAt: "< 5000",
    },
  ]);
  const { out } = await stand.run(["plan", "orders"]);
  expect(out.replaceAll(/\s+/g, " ")).toContain(
    "guard closed, so nothing new is published: index catalog, pending_index_count is 12000 (holds > 10000, resumes < 5000)",
  );
  // What acts would remember of guards and ceilings.
  expect((await keysOf(stand)).filter((key) => /:(guards|limits):/.test(key))).toEqual([]);
});

const minute = 60_000;
const standAhead = (ms: number) =>
  createPlanStand(redis.url(), {
    document: document(),
    emulator: { clock: { now: () => Date.now() + ms } },
  });
const ofAge = (stand: PlanStand, ageMs: number, sequence = 0) =>
  stand.seed(1, { dlqId: `${stand.emulator.clock.now() - ageMs}-${sequence}` });

describe("redriver plan, where the service's clock is another one", () => {
  it.each([0, 30_000])("says nothing of a difference of %i ms", async (aheadMs) => {
    const stand = await standAhead(aheadMs);
    ofAge(stand, 10 * minute);
    const { out } = await stand.run(["plan", "orders"]);
    expect(out).toContain("now      1 republish\n");
    expect(out).not.toContain("clock");
  });

  it("ahead: hides nothing of what is new, says so, and applies it", async () => {
    const stand = await standAhead(10 * minute);
    ofAge(stand, 3 * minute);
    ofAge(stand, 60 * minute, 1);
    const { planned: count, clock, range } = await planned(stand);
    expect(count).toBe(2);
    expect(clock).toMatchObject({ horizon: range.to, unseenMs: 0 });
    expect(Math.abs(clock.serviceAheadMs - 10 * minute)).toBeLessThan(2_000);
    expect(range.to).toBeGreaterThan(Date.now() + 9 * minute);
    const { out } = await stand.run(["plan", "orders"]);
    expect(out.replaceAll(/\s+/g, " ")).toMatch(
      /clock the service's is (10m|9m59s) ahead of this machine's;/,
    );
    await stand.plan();
    expect((await stand.apply()).exitCode).toBe(0);
    await stand.emulator.idle();
    expect(stand.receiver.deliveries).toHaveLength(2);
  });

  it("behind: goes by the service's, and says so", async () => {
    const stand = await standAhead(-10 * minute);
    ofAge(stand, 3 * minute);
    ofAge(stand, minute, 1);
    const { planned: count, estimate, range } = await planned(stand);
    expect({ count, due: estimate.publishes }).toEqual({ count: 2, due: 1 });
    expect(range.to).toBeLessThan(Date.now() - 9 * minute);
    const { out } = await stand.run(["plan", "orders"]);
    expect(out.replaceAll(/\s+/g, " ")).toMatch(/clock the service's is 10m\S* behind this machine's;/);
    // How long until the young one is due goes by the service's clock too.
    expect(out).toMatch(/later +1 republish in (5\ds|1m)\n/);
  });
});

it("a plan waits in place for a short limit, also if its very first listing meets it", async () => {
  const stand = await createPlanStand(redis.url(), { document: document() });
  stand.seed(7);
  stand.emulator.faults.add({ kind: "status", operation: "list", status: 429, limit: "burst", count: 2 });
  expect((await planned(stand)).planned).toBe(7);
});
