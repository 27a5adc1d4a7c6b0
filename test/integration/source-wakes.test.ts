import { describe, expect, it } from "vitest";
import type { DrainName } from "../../src/ports/ids.ts";
import { createJobStand, type JobStand } from "../support/job-stand.ts";
import { useRedis } from "../support/redis.ts";

// Flushed: a server of its own.
const redis = useRedis("own");
const main = "main" as DrainName;

/** After the reset: 1 s for the Date header, which has whole seconds, and 2 s for a busy machine. */
const slackMs = 2_000 + 1_000 + 2_000;

interface Call {
  readonly at: number;
  readonly status: number;
}

const callsOf = ({ rig: { emulator } }: JobStand, operation: string): readonly Call[] =>
  emulator.journal
    .entries("request")
    .filter((entry) => entry.operation === operation)
    .map(({ at, status }) => ({ at, status: status ?? 0 }));

/** Schedules are left out: what happens here is asked for by the jobs themselves. */
async function limitedStand(operation: "batch" | "delete", resetInS: number): Promise<JobStand> {
  const stand = await createJobStand({ redisUrl: redis.url() });
  stand.rig.seed(20);
  const fault = { status: 429, limit: "burst", resetInS, count: 1 } as const;
  stand.rig.emulator.faults.add({ kind: "status", operation, ...fault });
  await stand.start();
  await stand.queue.addTick(main, Date.now());
  return stand;
}

/** The first call is refused, and the second one comes right after the reset. */
function expectRightAfterReset([refused, next, ...others]: readonly Call[], resetInS: number): void {
  expect(refused?.status).toBe(429);
  const resetAt = Math.ceil(refused!.at / 1_000) * 1_000 + resetInS * 1_000;
  expect(next!.at).toBeGreaterThanOrEqual(resetAt);
  expect(next!.at).toBeLessThanOrEqual(resetAt + slackMs);
  expect([next, ...others].map((call) => call?.status)).not.toContain(429);
}

describe("after a 429, without waiting for the schedule,", () => {
  it.each([1, 4])(
    "the next batch is sent right after the reset, and nothing before: in %s s",
    async (resetInS) => {
      const stand = await limitedStand("batch", resetInS);
      const { emulator } = stand.rig;
      await expect.poll(() => emulator.dlq.size, { timeout: 20_000, interval: 50 }).toBe(0);
      expectRightAfterReset(callsOf(stand, "batch"), resetInS);
      expect(callsOf(stand, "delete").map(({ status }) => status)).toEqual([200]);
    },
  );

  it("the next delete is sent right after the reset, and nothing before", async () => {
    const stand = await limitedStand("delete", 3);
    const { emulator } = stand.rig;
    await expect.poll(() => emulator.dlq.size, { timeout: 20_000, interval: 50 }).toBe(0);
    expectRightAfterReset(callsOf(stand, "delete"), 3);
    expect(callsOf(stand, "batch").map(({ status }) => status)).toEqual([200]);
    // And none of them counts as gone before its delete.
    expect(await stand.rig.drain.source.ledger.summary()).toMatchObject({ open: 0, pendingDelete: 0 });
  });
});

describe("a loss of Redis's writes", () => {
  it("that a job notices makes the drain's next pass come at once, and full, whatever its schedule", async () => {
    const stand = await createJobStand({ redisUrl: redis.url() });
    const { rig, queue, events } = stand;
    rig.seed(5);
    await stand.start();
    await queue.addTick(main, Date.now());
    await expect.poll(() => events.of("pass:closed").length, { timeout: 15_000 }).toBe(1);
    rig.seed(3);
    await rig.core.redis.command("FLUSHALL");
    // What is scheduled is written again by the daemon; a sweep is among it, and a tick of a cron pattern is not.
    await queue.addSweep(rig.drain.source.config.id, Date.now());
    await expect.poll(() => events.of("ledger:lost-writes").length, { timeout: 15_000 }).toBe(1);
    await expect.poll(() => events.of("pass:opened").length, { timeout: 15_000 }).toBe(2);
    expect(events.of("pass:opened")[1]).toMatchObject({ kind: "full" });
    await expect.poll(() => rig.emulator.dlq.size, { timeout: 15_000 }).toBe(0);
    expect(events.of("pass:opened")).toHaveLength(2);
  });
});
