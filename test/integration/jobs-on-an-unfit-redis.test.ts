import { afterEach, describe, expect, it } from "vitest";
import { openLiveCore } from "../../src/compose/open-core.ts";
import { createTeardown } from "../../src/compose/teardown.ts";
import { createJobHandler } from "../../src/daemon/handle-job.ts";
import { createOthers } from "../../src/daemon/others.ts";
import type { DrainName } from "../../src/ports/ids.ts";
import type { RetryPolicy } from "../../src/queue/policy.ts";
import { openPass } from "../../src/redrive/run-pass.ts";
import { openQueue, type RecordedEvents } from "../support/queue-redis.ts";
import { useRedis } from "../support/redis.ts";
import { createRig, type Rig } from "../support/rig.ts";

const redis = useRedis();
const never = new AbortController().signal;
const main = "main" as DrainName;
const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

interface Stand {
  readonly rig: Rig;
  readonly events: RecordedEvents;
  readonly queue: ReturnType<typeof openQueue>["queue"];
  /** Whether Redis is fit for a ledger, as the daemon last found. */
  readonly state: { isFit: boolean };
  start(): Promise<void>;
}

/** A daemon's jobs on a real queue. */
async function stand(retry: RetryPolicy, settings: Readonly<Record<string, unknown>> = {}): Promise<Stand> {
  const rig = await createRig({ redisUrl: redis.url(), settings });
  const { keyPrefix } = rig.core.settings.redis;
  const { queue, events } = openQueue(redis.url(), { keyPrefix, retry });
  const teardown = createTeardown();
  const { settings: all, document } = rig.core;
  const live = openLiveCore({ settings: all, document, env: {}, events, teardown });
  closers.push(
    () => queue.close({ softMs: 0, hardMs: 2_000 }),
    () => teardown.run(2_000),
  );
  await live.current().redis.ready(5_000);
  const state = { isFit: false };
  return {
    rig,
    events,
    queue,
    state,
    start: () =>
      queue.start(
        createJobHandler({
          live,
          queue,
          others: createOthers(live.current().replicas, "this"),
          events,
          readStatistics: () => Promise.resolve(),
          stopping: never,
          mayAct: () => state.isFit,
        }),
      ),
  };
}

const failuresOf = (events: RecordedEvents, kind: string) =>
  events.of("job:failed").filter((event) => event.kind === kind);

const tick = (everyMs: number) =>
  ({ id: "tick:main", schedule: { kind: "every", everyMs }, job: { kind: "tick", drain: main } }) as const;

/** What asks the service for anything. */
const requests = ({ emulator }: Rig): number => emulator.journal.entries("request").length;

async function drained(rig: Rig, count: number): Promise<void> {
  await expect.poll(() => rig.emulator.dlq.size, { timeout: 15_000, interval: 50 }).toBe(0);
  await rig.emulator.idle();
  expect([...rig.receiver.counts().values()]).toEqual(Array<number>(count).fill(1));
}

describe("while Redis is not fit for a ledger", () => {
  it("a window asks nothing and begins nothing; it is tried again, and worked once Redis is fit", async () => {
    const { rig, events, queue, state, start } = await stand({ attempts: 6, baseMs: 200, capMs: 400 });
    rig.seed(5);
    const opened = await openPass(rig.drain, rig.core.settings.passes, never);
    const { passId } = opened.kind === "opened" ? opened.pass : opened;
    const before = requests(rig);
    await queue.addWindows(
      opened.windows.map(({ windowId }) => ({ kind: "window", drain: main, passId, windowId })),
    );
    await start();
    await expect.poll(() => failuresOf(events, "window").length, { timeout: 10_000 }).toBeGreaterThan(1);
    expect(requests(rig)).toBe(before);
    expect((await rig.drain.source.ledger.summary()).open).toBe(0);
    state.isFit = true;
    await drained(rig, 5);
    await expect
      .poll(() => events.of("pass:closed"), { timeout: 5_000 })
      .toMatchObject([{ outcome: "complete" }]);
    expect(new Set(failuresOf(events, "window").map(({ code, givenUp }) => `${code} ${givenUp}`))).toEqual(
      new Set(["redis-unavailable false"]),
    );
  });

  it("a window whose tries are spent is left to the next pass, which opens when this one has made no progress", async () => {
    const { rig, events, queue, state, start } = await stand(
      { attempts: 2, baseMs: 20, capMs: 20 },
      { "passes.abandonAfter": "1s" },
    );
    rig.seed(5);
    const opened = await openPass(rig.drain, rig.core.settings.passes, never);
    const { passId } = opened.kind === "opened" ? opened.pass : opened;
    await queue.addWindows(
      opened.windows.map(({ windowId }) => ({ kind: "window", drain: main, passId, windowId })),
    );
    await start();
    await expect
      .poll(() => failuresOf(events, "window").filter(({ givenUp }) => givenUp).length, { timeout: 10_000 })
      .toBe(opened.windows.length);
    state.isFit = true;
    await queue.applySchedules([tick(200)]);
    await drained(rig, 5);
    await expect.poll(() => events.of("pass:closed").length, { timeout: 5_000 }).toBeGreaterThan(1);
    expect(events.of("pass:closed").slice(0, 2)).toMatchObject([
      { outcome: "abandoned", passId },
      { outcome: "complete" },
    ]);
  });

  it("a tick opens no pass and is not tried again: the next one does when its time has come", async () => {
    const { rig, events, queue, state, start } = await stand({ attempts: 3, baseMs: 20, capMs: 20 });
    rig.seed(2);
    await start();
    await queue.applySchedules([tick(300)]);
    await expect.poll(() => failuresOf(events, "tick").length, { timeout: 10_000 }).toBeGreaterThan(1);
    expect(failuresOf(events, "tick").every(({ givenUp }) => givenUp)).toBe(true);
    expect(requests(rig)).toBe(0);
    expect(await rig.drain.source.passes.facts(main)).toBeNull();
    state.isFit = true;
    await drained(rig, 2);
  });
});
