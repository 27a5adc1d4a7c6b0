import { describe, expect, it } from "vitest";
import { createRedisStatisticsStore } from "../../../../../src/job/store/statistics/redis-statistics-store.ts";
import { readQueueFacts } from "../../../../../src/people/read/queue-facts.ts";
import { createRig, type Rig, type RigOptions } from "../../../../support/rig.ts";
import { useRedis } from "../../../../support/redis.ts";

const redis = useRedis();

const indexes = `indexes:
  catalog: { id: a, credentials: { user: { env: U }, password: { env: P } } }
`;
function guarded(more = ""): Omit<RigOptions, "redisUrl"> {
  return {
    document: indexes,
    drain: `
    schedule: { every: 1s, full: 1h }
    minAge: 0s
    attempts: { max: 5, wait: [0s] }
    guards:
      - { index: catalog, hold: "pending_index_count > 10000", resume: "< 5000"${more} }
    rules:
      - { name: broken, when: { responseStatus: 422 }, then: park }
      - { name: outage, when: { responseStatus: 503 }, then: republish }
`,
  };
}

/** Another replica, or this one after a restart: it has looked at no guard yet. */
function replicaOf(rig: Rig, options = guarded()): Promise<Rig> {
  return createRig({ redisUrl: redis.url(), twinOf: rig, ...options });
}

async function write(
  rig: Rig,
  scalars: Readonly<Record<string, number>>,
  staleAfterMs = 60_000,
): Promise<void> {
  await createRedisStatisticsStore(rig.core.redis).write(
    { index: "catalog", readAt: Date.now(), summary: { scalars, newest: {}, days: [], unusableFields: 0 } },
    staleAfterMs,
  );
}

async function guardsOf(rig: Rig): Promise<unknown> {
  return (await readQueueFacts(rig.core)).drains[0]?.guards;
}

describe("a drain with a guard", () => {
  it("holds above the threshold, keeps holding below it, and resumes below the other, over restarts", async () => {
    const first = await createRig({ redisUrl: redis.url(), ...guarded() });
    first.seed(12);
    first.seed(3, { responseStatus: 422 });
    await write(first, { pending_index_count: 12_000 });
    expect(await first.pass()).toMatchObject({
      tally: { republished: 0, due: 0, held: 12, parked: 3, reasons: { held: { guard: 12 } } },
    });
    const closed = { index: "catalog", field: "pending_index_count", why: "reading", value: 12_000 };
    expect(first.eventsOf("guard:closed")).toMatchObject([{ drain: "main", ...closed }]);
    const told = first.recordsOf("record:decided").filter(({ decision }) => decision.reason === "guard");
    expect(told).toHaveLength(12);
    expect(told[0]?.explain()).toBe(
      'hold: guard (rule "outage"): index catalog: pending_index_count is 12000',
    );
    expect(await guardsOf(first)).toMatchObject([{ index: "catalog", effect: "closed" }]);

    const second = await replicaOf(first);
    await write(second, { pending_index_count: 7_000 });
    second.seed(1, {}, 10_000);
    expect(await second.pass()).toMatchObject({ tally: { republished: 0, reasons: { held: { guard: 1 } } } });
    expect(second.eventsOf("guard:closed")).toEqual([]);

    const third = await replicaOf(first);
    await write(third, { pending_index_count: 4_999 });
    // Nothing of what was held is listed by this pass; its empty page is what notices the opening.
    await third.pass();
    expect(third.eventsOf("guard:opened")).toMatchObject([{ value: 4_999 }]);
    expect(await guardsOf(third)).toMatchObject([{ index: "catalog", effect: "open" }]);
    await third.pass();
    expect(third.emulator.journal.counts().accepted).toBe(13);
    expect(third.emulator.dlq.size).toBe(3);

    const fourth = await replicaOf(first);
    await write(fourth, { pending_index_count: 7_000 });
    fourth.seed(2, {}, 10_000);
    expect(await fourth.pass()).toMatchObject({ tally: { republished: 2, held: 0 } });
  }, 120_000);

  it("acts on nothing in plan mode, and leaves its guards alone there", async () => {
    const rig = await createRig({ redisUrl: redis.url(), ...guarded(), mode: "plan" });
    await write(rig, { pending_index_count: 12_000 });
    rig.seed(4);
    expect(await rig.pass()).toMatchObject({ tally: { due: 4, held: 0 } });
    expect(rig.eventsOf("guard:closed")).toEqual([]);
  }, 60_000);
});
