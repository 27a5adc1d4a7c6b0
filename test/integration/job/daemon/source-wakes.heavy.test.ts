import { describe, expect, it, onTestFinished, vi } from "vitest";
import { systemClock as clock } from "../../../../src/system-world.ts";
import { probeSources } from "../../../../src/job/daemon/probe-halted-sources.ts";
import type { DrainName } from "../../../../src/job/contracts/ids.ts";
import type { RedriverEvent } from "../../../../src/job/contracts/events.ts";
import { openPass } from "../../../../src/job/pass/open-pass.ts";
import { createJobStand, type JobStand } from "../../../support/job-stand.ts";
import { useRedis } from "../../../support/redis.ts";

// Flushed: a server of its own.
const redis = useRedis("own");
const main = "main" as DrainName;
const context = { signal: new AbortController().signal, lastTry: true };
const soon = { timeout: 30_000, interval: 50 };

/** After the reset: 1 s for the Date header, which has whole seconds, and a busy machine. */
const slackMs = 1_000 + 10_000;

/** Schedules are left out: what happens here is asked for by the jobs themselves. */
const stand = (): Promise<JobStand> => createJobStand({ redisUrl: redis.url() });

const tick = ({ queue }: JobStand): Promise<void> => queue.addTick(main, Date.now());
const drained = ({ rig }: JobStand): Promise<void> => expect.poll(() => rig.emulator.dlq.size, soon).toBe(0);
const told = ({ events }: JobStand, type: RedriverEvent["type"], times: number): Promise<void> =>
  expect.poll(() => events.of(type).length, soon).toBe(times);

interface Call {
  readonly at: number;
  readonly status: number;
}

const callsOf = ({ rig: { emulator } }: JobStand, operation: string): readonly Call[] =>
  emulator.journal
    .entries("request")
    .filter((entry) => entry.operation === operation)
    .map(({ at, status }) => ({ at, status: status ?? 0 }));

it.each([
  ["batch", 1, "delete"],
  ["batch", 4, "delete"],
  ["delete", 3, "batch"],
] as const)(
  "after a 429, without waiting for the schedule, the next %s is sent right after the reset, and nothing before: in %s s",
  async (operation, resetInS, other) => {
    const on = await stand();
    on.rig.seed(20);
    const fault = { status: 429, limit: "burst", resetInS, count: 1 } as const;
    on.rig.emulator.faults.add({ kind: "status", operation, ...fault });
    await on.start();
    await tick(on);
    await drained(on);
    const [refused, next, ...others] = callsOf(on, operation);
    expect(refused?.status).toBe(429);
    const resetAt = Math.ceil(refused!.at / 1_000) * 1_000 + resetInS * 1_000;
    expect(next!.at).toBeGreaterThanOrEqual(resetAt);
    expect(next!.at).toBeLessThanOrEqual(resetAt + slackMs);
    expect([next, ...others].map((call) => call?.status)).not.toContain(429);
    expect(callsOf(on, other).map(({ status }) => status)).toEqual([200]);
    // And none of them counts as gone before its delete.
    const { ledger } = on.rig.drain.source;
    await expect.poll(() => ledger.summary()).toMatchObject({ open: 0, pendingDelete: 0 });
  },
);

describe("a delete whose answer is lost in a pass", () => {
  it("is looked for within seconds, whatever the schedule, and is not deleted again", async () => {
    const on = await stand();
    on.rig.seed(20);
    on.rig.emulator.faults.add({ kind: "drop-answer", operation: "delete", when: "after", count: 1 });
    await on.start();
    await tick(on);
    await told(on, "pass:closed", 1);
    await expect.poll(() => on.events.of("sweep:finished").length, soon).toBeGreaterThan(0);
    expect(await on.rig.drain.source.ledger.summary()).toMatchObject({ pendingDelete: 0, failedDeletes: 0 });
    expect(callsOf(on, "delete")).toHaveLength(1);
  });

  it("is not left to the schedule when a sweep is asked for while one is under way", async () => {
    const on = await stand();
    const { rig, queue, events } = on;
    const { faults } = rig.emulator;
    rig.seed(20);
    faults.add({ kind: "drop-answer", operation: "delete", when: "after", count: 1 });
    await rig.pass();
    faults.add({ kind: "stall-answer", operation: "list", name: "slow", count: 1 });
    await on.start();
    const { id } = rig.drain.source.config;
    await queue.addSweep(id, Date.now());
    await expect.poll(() => faults.list().some(({ held }) => held > 0), soon).toBe(true);
    await on.handle({ kind: "sweep", source: id }, context);
    expect(events.of("sweep:finished")).toEqual([]);
    faults.remove("slow");
    await told(on, "sweep:finished", 2);
  });
});

it("a loss of Redis's writes that a job notices makes the drain's next pass come at once, and full", async () => {
  const on = await stand();
  const { rig, queue, events } = on;
  rig.seed(5);
  await on.start();
  await tick(on);
  await told(on, "pass:closed", 1);
  rig.seed(3);
  await rig.core.redis.command("FLUSHALL");
  // What is scheduled is written again by the daemon; a sweep is among it, and a tick of a cron pattern is not.
  await queue.addSweep(rig.drain.source.config.id, Date.now());
  await told(on, "ledger:lost-writes", 1);
  await told(on, "pass:opened", 2);
  expect(events.of("pass:opened")[1]).toMatchObject({ kind: "full" });
  await drained(on);
  expect(events.of("pass:opened")).toHaveLength(2);
});

const healthOf = ({ live, rig }: JobStand) =>
  live.current().sources.get(rig.drain.source.config.id)!.runtime.health;

/** Refuses its listings, has it tick, and waits until that has halted it. */
async function refuse(on: JobStand): Promise<void> {
  on.rig.seed(5, {}, 30_000);
  on.rig.emulator.faults.add({ kind: "status", operation: "list", status: 401, name: "token" });
  await tick(on);
  await told(on, "source:halted", 1);
}

/** What happens while it is halted, so that its drain has to be woken. */
const halts: readonly (readonly [string, (on: JobStand) => Promise<unknown>])[] = [
  ["could not open its pass", refuse],
  [
    "lost the windows of its pass",
    async (on) => {
      // The service's clock is known after this, so that the next pass opens without a call.
      await tick(on);
      await told(on, "pass:closed", 1);
      await refuse(on);
      await expect.poll(() => on.events.of("pass:closed").at(-1)?.outcome, soon).toBe("partial");
    },
  ],
  [
    "skipped a tick",
    async (on) => {
      on.rig.seed(5);
      healthOf(on).halt("unauthorised", "401");
      await on.handle({ kind: "tick", drain: main }, context);
    },
  ],
  [
    "may not publish",
    async (on) => {
      on.rig.seed(5);
      healthOf(on).halt("unauthorised", "403", "batch");
      await tick(on);
      await told(on, "pass:closed", 1);
      expect(on.rig.emulator.dlq.size).toBe(5);
    },
  ],
];

it.each(halts)(
  "a halt that ends lets a drain go on at once that %s, whatever its schedule",
  async (_name, become) => {
    const on = await stand();
    await on.start();
    await become(on);
    on.rig.emulator.faults.clear();
    const round = async (): Promise<void> => {
      await probeSources(
        on.live.current().sources.values(),
        { clock, events: on.events },
        new AbortController().signal,
      );
      await on.earlyTicks.afterHalts(on.live.current());
    };
    const timer = setInterval(() => void round(), 100);
    onTestFinished(() => clearInterval(timer));
    await drained(on);
    expect(on.events.of("source:resumed")).toHaveLength(1);
  },
);

it("a service that does not answer is waited for by a drain whose pass could not be opened, and by one whose windows it failed", async () => {
  const { rig, live, earlyTicks, handle } = await stand();
  const opened = await openPass(rig.drain, rig.core.settings.passes, context.signal);
  const [{ windowId } = { windowId: "" }] = opened.windows;
  if (opened.kind !== "opened") throw new Error("expected an open pass");
  const { passId } = opened.pass;
  const unanswered = vi.spyOn(earlyTicks, "unanswered").mockResolvedValue();
  rig.emulator.faults.add({ kind: "status", operation: "list", status: 503, name: "down" });
  await expect(handle({ kind: "tick", drain: main }, context)).rejects.toMatchObject({
    code: "service-unavailable",
  });
  expect(unanswered).toHaveBeenCalledTimes(1);

  const { runtime } = live.current().sources.get(rig.drain.source.config.id)!;
  vi.spyOn(runtime.health, "takeRetry").mockReturnValue(false);
  await handle({ kind: "window", drain: main, passId, windowId }, context);
  expect(unanswered).toHaveBeenCalledTimes(2);
  expect(await runtime.passes.facts(main)).toMatchObject({ lastOutcome: "partial", openPass: null });
});
