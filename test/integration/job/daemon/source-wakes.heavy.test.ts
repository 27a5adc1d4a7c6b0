import { describe, expect, it, onTestFinished, vi } from "vitest";
import { systemClock as clock } from "../../../../src/system-world.ts";
import { probeSources } from "../../../../src/job/daemon/probe-halted-sources.ts";
import type { DrainName } from "../../../../src/job/contracts/ids.ts";
import type { SourceHealth } from "../../../../src/job/source/source-health.ts";
import { openPass } from "../../../../src/job/pass/open-pass.ts";
import { createJobStand, type JobStand } from "../../../support/job-stand.ts";
import { useRedis } from "../../../support/redis.ts";

// Flushed: a server of its own.
const redis = useRedis("own");
const main = "main" as DrainName;

/** After the reset: 1 s for the Date header, which has whole seconds, and a busy machine. */
const slackMs = 1_000 + 10_000;

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
      await expect.poll(() => emulator.dlq.size, { timeout: 30_000, interval: 50 }).toBe(0);
      expectRightAfterReset(callsOf(stand, "batch"), resetInS);
      expect(callsOf(stand, "delete").map(({ status }) => status)).toEqual([200]);
    },
  );

  it("the next delete is sent right after the reset, and nothing before", async () => {
    const stand = await limitedStand("delete", 3);
    const { emulator } = stand.rig;
    await expect.poll(() => emulator.dlq.size, { timeout: 30_000, interval: 50 }).toBe(0);
    expectRightAfterReset(callsOf(stand, "delete"), 3);
    expect(callsOf(stand, "batch").map(({ status }) => status)).toEqual([200]);
    // And none of them counts as gone before its delete.
    const { ledger } = stand.rig.drain.source;
    await expect.poll(() => ledger.summary()).toMatchObject({ open: 0, pendingDelete: 0 });
  });
});

describe("a delete whose answer is lost in a pass", () => {
  it("is looked for within seconds, whatever the schedule, and is not deleted again", async () => {
    const stand = await createJobStand({ redisUrl: redis.url() });
    const { rig, queue, events } = stand;
    rig.seed(20);
    rig.emulator.faults.add({ kind: "drop-answer", operation: "delete", when: "after", count: 1 });
    await stand.start();
    await queue.addTick(main, Date.now());
    const { ledger } = rig.drain.source;
    await expect.poll(() => events.of("pass:closed").length, { timeout: 30_000 }).toBe(1);
    await expect.poll(() => events.of("sweep:finished").length, { timeout: 30_000 }).toBeGreaterThan(0);
    expect(await ledger.summary()).toMatchObject({ pendingDelete: 0, failedDeletes: 0 });
    expect(callsOf(stand, "delete")).toHaveLength(1);
  });

  it("is not left to the schedule when a sweep is asked for while one is under way", async () => {
    const stand = await createJobStand({ redisUrl: redis.url() });
    const { rig, queue, events } = stand;
    rig.seed(20);
    rig.emulator.faults.add({ kind: "drop-answer", operation: "delete", when: "after", count: 1 });
    await rig.pass();
    const { faults } = rig.emulator;
    faults.add({ kind: "stall-answer", operation: "list", name: "slow", count: 1 });
    await stand.start();
    const { id } = rig.drain.source.config;
    await queue.addSweep(id, Date.now());
    const isHeld = (): boolean => faults.list().some(({ held }) => held > 0);
    await expect.poll(isHeld, { timeout: 30_000 }).toBe(true);
    const context = { signal: new AbortController().signal, lastTry: true };
    await stand.handle({ kind: "sweep", source: id }, context);
    expect(events.of("sweep:finished")).toEqual([]);
    faults.remove("slow");
    await expect.poll(() => events.of("sweep:finished").length, { timeout: 30_000 }).toBe(2);
  });
});

describe("a loss of Redis's writes", () => {
  it("that a job notices makes the drain's next pass come at once, and full, whatever its schedule", async () => {
    const stand = await createJobStand({ redisUrl: redis.url() });
    const { rig, queue, events } = stand;
    rig.seed(5);
    await stand.start();
    await queue.addTick(main, Date.now());
    await expect.poll(() => events.of("pass:closed").length, { timeout: 30_000 }).toBe(1);
    rig.seed(3);
    await rig.core.redis.command("FLUSHALL");
    // What is scheduled is written again by the daemon; a sweep is among it, and a tick of a cron pattern is
    // not.
    await queue.addSweep(rig.drain.source.config.id, Date.now());
    await expect.poll(() => events.of("ledger:lost-writes").length, { timeout: 30_000 }).toBe(1);
    await expect.poll(() => events.of("pass:opened").length, { timeout: 30_000 }).toBe(2);
    expect(events.of("pass:opened")[1]).toMatchObject({ kind: "full" });
    await expect.poll(() => rig.emulator.dlq.size, { timeout: 30_000 }).toBe(0);
    expect(events.of("pass:opened")).toHaveLength(2);
  });
});

const healthOf = ({ live, rig }: JobStand): SourceHealth =>
  live.current().sources.get(rig.drain.source.config.id)!.runtime.health;

async function startedStand(): Promise<JobStand> {
  const stand = await createJobStand({ redisUrl: redis.url() });
  await stand.start();
  return stand;
}

/** Refuses its listings, has it tick, and waits until that has halted it. */
async function refuse({ rig, queue, events }: JobStand): Promise<void> {
  rig.seed(5, {}, 30_000);
  rig.emulator.faults.add({ kind: "status", operation: "list", status: 401, name: "token" });
  await queue.addTick(main, Date.now());
  await expect.poll(() => events.of("source:halted").length, { timeout: 30_000 }).toBe(1);
}

function probe({ live, events, earlyTicks }: JobStand): void {
  const { signal } = new AbortController();
  const round = async (): Promise<void> => {
    await probeSources(live.current().sources.values(), { clock, events }, signal);
    await earlyTicks.afterHalts(live.current());
  };
  const timer = setInterval(() => void round(), 100);
  onTestFinished(() => clearInterval(timer));
}

describe("a halt that ends", () => {
  it("lets a drain go on at once that could not open its pass, whatever its schedule", async () => {
    const stand = await startedStand();
    const { rig, events } = stand;
    await refuse(stand);
    rig.emulator.faults.remove("token");
    probe(stand);
    await expect.poll(() => rig.emulator.dlq.size, { timeout: 30_000 }).toBe(0);
    expect(events.of("source:resumed")).toHaveLength(1);
  });

  it("lets a drain go on at once that lost the windows of its pass, whatever its schedule", async () => {
    const stand = await startedStand();
    const { rig, events, queue } = stand;
    // The service's clock is known after this, so that the next pass opens without a call.
    await queue.addTick(main, Date.now());
    await expect.poll(() => events.of("pass:closed").length, { timeout: 30_000 }).toBe(1);
    await refuse(stand);
    await expect.poll(() => events.of("pass:closed").at(-1)?.outcome, { timeout: 30_000 }).toBe("partial");
    rig.emulator.faults.remove("token");
    probe(stand);
    await expect.poll(() => rig.emulator.dlq.size, { timeout: 30_000 }).toBe(0);
    expect(events.of("source:resumed")).toHaveLength(1);
  });

  it("lets a drain go on whose tick came meanwhile", async () => {
    const stand = await createJobStand({ redisUrl: redis.url() });
    const { rig } = stand;
    rig.seed(5);
    const health = healthOf(stand);
    health.halt("unauthorised", "401");
    await stand.handle(
      { kind: "tick", drain: main },
      { signal: new AbortController().signal, lastTry: true },
    );
    await stand.start();
    probe(stand);
    await expect.poll(() => rig.emulator.dlq.size, { timeout: 30_000 }).toBe(0);
  });

  it("of publishing lets what it held go on when a trial may be made", async () => {
    const stand = await createJobStand({ redisUrl: redis.url() });
    const { rig, queue, events } = stand;
    rig.seed(5);
    healthOf(stand).halt("unauthorised", "403", "batch");
    await stand.start();
    await queue.addTick(main, Date.now());
    await expect.poll(() => events.of("pass:closed").length, { timeout: 30_000 }).toBe(1);
    expect(rig.emulator.dlq.size).toBe(5);
    probe(stand);
    await expect.poll(() => rig.emulator.dlq.size, { timeout: 30_000 }).toBe(0);
    expect(events.of("source:resumed")).toHaveLength(1);
  });
});

describe("a service that does not answer", () => {
  const context = { signal: new AbortController().signal, lastTry: true };

  it("is waited for by a drain whose pass could not be opened, and by one whose windows it failed", async () => {
    const stand = await createJobStand({ redisUrl: redis.url() });
    const { rig, live, earlyTicks, handle } = stand;
    const opened = await openPass(rig.drain, rig.core.settings.passes, context.signal);
    const [{ windowId } = { windowId: "" }] = opened.windows;
    if (opened.kind !== "opened") throw new Error("expected an open pass");
    const { passId } = opened.pass;
    const unanswered = vi.spyOn(earlyTicks, "unanswered").mockResolvedValue();
    rig.emulator.faults.add({ kind: "status", operation: "list", status: 503, name: "down" });
    const tick = handle({ kind: "tick", drain: main }, context);
    await expect(tick).rejects.toMatchObject({ code: "service-unavailable" });
    expect(unanswered).toHaveBeenCalledTimes(1);

    const { runtime } = live.current().sources.get(rig.drain.source.config.id)!;
    vi.spyOn(runtime.health, "takeRetry").mockReturnValue(false);
    await handle({ kind: "window", drain: main, passId, windowId }, context);
    expect(unanswered).toHaveBeenCalledTimes(2);
    expect(await runtime.passes.facts(main)).toMatchObject({ lastOutcome: "partial", openPass: null });
  });
});
