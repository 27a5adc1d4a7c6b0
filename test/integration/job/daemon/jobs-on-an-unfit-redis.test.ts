import { describe, expect, it } from "vitest";
import type { DrainName } from "../../../../src/job/contracts/ids.ts";
import type { RetryPolicy } from "../../../../src/job/queue/policy.ts";
import { openPass } from "../../../../src/job/pass/open-pass.ts";
import { createJobStand, type JobStand } from "../../../support/job-stand.ts";
import type { RecordedEvents } from "../../../support/queue-redis.ts";
import { useRedis } from "../../../support/redis.ts";
import type { Rig } from "../../../support/rig.ts";

const redis = useRedis();
const never = new AbortController().signal;
const main = "main" as DrainName;
/** Redis is not fit at first. */
const stand = (retry: RetryPolicy, settings: Readonly<Record<string, unknown>> = {}): Promise<JobStand> =>
  createJobStand({ redisUrl: redis.url(), settings }, { retry, isFit: false });

const failuresOf = (events: RecordedEvents, kind: string) =>
  events.of("job:failed").filter((event) => event.kind === kind);

const tick = (everyMs: number) =>
  ({ id: "tick:main", schedule: { kind: "every", everyMs }, job: { kind: "tick", drain: main } }) as const;

/** What asks the service for anything. */
const requests = ({ emulator }: Rig): number => emulator.journal.entries("request").length;

async function drained(rig: Rig, count: number): Promise<void> {
  await expect.poll(() => rig.emulator.dlq.size, { timeout: 30_000, interval: 50 }).toBe(0);
  await rig.emulator.idle();
  expect([...rig.receiver.counts().values()]).toEqual(Array<number>(count).fill(1));
}

describe("while Redis is not fit for a ledger", () => {
  it("a window asks nothing and begins nothing; it is tried again however often, and worked once Redis is fit", async () => {
    const { rig, events, queue, state, start } = await stand({ attempts: 2, baseMs: 100, capMs: 100 });
    rig.seed(5);
    const opened = await openPass(rig.drain, rig.core.settings.passes, never);
    const { passId } = opened.kind === "opened" ? opened.pass : opened;
    const before = requests(rig);
    await queue.addWindows(
      opened.windows.map(({ windowId }) => ({ kind: "window", drain: main, passId, windowId })),
    );
    await start();
    await expect.poll(() => state.asked, { timeout: 30_000 }).toBeGreaterThan(4 * opened.windows.length);
    expect(requests(rig)).toBe(before);
    expect((await rig.drain.source.ledger.summary()).open).toBe(0);
    state.isFit = true;
    await drained(rig, 5);
    await expect
      .poll(() => events.of("pass:closed"), { timeout: 30_000 })
      .toMatchObject([{ outcome: "complete" }]);
    expect(failuresOf(events, "window").map(({ code, givenUp }) => `${code} ${givenUp}`)).toEqual([
      "redis-unavailable false",
    ]);
  });

  it("a tick opens no pass and is not tried again: the next one does when its time has come", async () => {
    const { rig, events, queue, state, start } = await stand({ attempts: 3, baseMs: 20, capMs: 20 });
    rig.seed(2);
    await start();
    await queue.applySchedules([tick(300)]);
    await expect.poll(() => failuresOf(events, "tick").length, { timeout: 30_000 }).toBeGreaterThan(1);
    expect(failuresOf(events, "tick").every(({ givenUp }) => givenUp)).toBe(true);
    expect(requests(rig)).toBe(0);
    expect(await rig.drain.source.passes.facts(main)).toBeNull();
    state.isFit = true;
    await drained(rig, 2);
  });
});
