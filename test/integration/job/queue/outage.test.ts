import { Redis } from "ioredis";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../../../src/system-world.ts";
import { RedriverError } from "../../../../src/job/contracts/errors.ts";
import type { DrainName, PassId } from "../../../../src/job/contracts/ids.ts";
import type { Job, WorkQueue } from "../../../../src/job/contracts/work-queue.ts";
import { openQueue, type RecordedEvents } from "../../../support/queue-redis.ts";
import { useRedis } from "../../../support/redis.ts";
import { createTcpProxy, type TcpProxy } from "../../../support/tcp-proxy.ts";
import { waitFor } from "../../../support/wait-for.ts";

const server = useRedis("own");
/** The way to the server, which is nobody's to stop. */
let way: TcpProxy;
let prefix: string;
const open: WorkQueue[] = [];

beforeEach(async () => {
  const { hostname, port } = new URL(server.url());
  way = await createTcpProxy({ host: hostname, port: Number(port) });
  prefix = server.fresh().keyPrefix;
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((queue) => queue.close({ softMs: 0, hardMs: 500 })));
  await way.close();
});

function replica(user = ""): { queue: WorkQueue; events: RecordedEvents } {
  const opened = openQueue(`redis://${user}127.0.0.1:${way.port}${new URL(server.url()).pathname}`, {
    keyPrefix: prefix,
    lock: { durationMs: 1_000, stalledIntervalMs: 500 },
  });
  open.push(opened.queue);
  return opened;
}

const window: Extract<Job, { kind: "window" }> = {
  kind: "window",
  drain: "orders" as DrainName,
  passId: "p1" as PassId,
  windowId: "1",
};
/** Resolves once the handler of a window is at work; it does so until `work` has ended. */
async function startBusy(queue: WorkQueue, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const begun = new Promise<void>((resolve) => {
    void queue.start((_job, { signal }) => {
      resolve();
      return work(signal);
    });
  });
  await queue.addWindows([window]);
  await begun;
}
/** A handler that goes on when its gate opens, and ends so much later. */
async function startGated(queue: WorkQueue, lastsMs = 0) {
  const seen: string[] = [];
  const gate = new AbortController();
  await startBusy(queue, async () => {
    seen.push("started");
    await aborted(gate.signal);
    await systemClock.sleep(lastsMs);
    seen.push("finished");
  });
  return { seen, gate };
}
/** How long `close` took, ms. */
async function timeToClose(queue: WorkQueue, times: Parameters<WorkQueue["close"]>[0]): Promise<number> {
  const before = performance.now();
  await queue.close(times);
  return performance.now() - before;
}
/** Which gives the job back with no try spent. */
const untilAborted = async (signal: AbortSignal): Promise<never> => {
  await aborted(signal);
  throw new RedriverError("stopped", "stopped");
};
const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));

describe("close", () => {
  test("aborts after softMs and hands the job back with no try spent", async () => {
    const { queue, events } = replica();
    let heard: AbortSignal | undefined;
    await startBusy(queue, (signal) => untilAborted((heard = signal)));
    expect(await timeToClose(queue, { softMs: 100, hardMs: 10_000 })).toBeLessThan(7_000);
    expect(heard?.reason).toMatchObject({ code: "stopped" });
    expect(events.of("job:failed")).toEqual([]);

    const redis = new Redis(server.url());
    const key = `{${prefix}}:${prefix}-v1-windows`;
    expect(await redis.lrange(`${key}:wait`, 0, -1)).toEqual(["window/p1/1"]);
    expect(await redis.hget(`${key}:window/p1/1`, "atm")).toBeNull();
    redis.disconnect();

    const { queue: other } = replica();
    const seen: Job[] = [];
    await other.start(async (job) => void seen.push(job));
    await waitFor(() => expect(seen).toEqual([window]));
  });

  test("ends by hardMs although a handler ignores its signal", async () => {
    const { queue } = replica();
    await startBusy(queue, () => new Promise(() => undefined));
    expect(await timeToClose(queue, { softMs: 50, hardMs: 300 })).toBeLessThan(7_000);
  });

  test("with Redis away still lets a running handler end by itself", async () => {
    const { queue, events } = replica();
    // Longer than closing everything else takes.
    const { seen, gate } = await startGated(queue, 300);
    await way.cut();
    await waitFor(() => expect(events.of("redis:lost").length).toBe(1));
    const closed = queue.close({ softMs: 5_000, hardMs: 10_000 });
    gate.abort();
    await closed;
    seen.push("closed");
    expect(seen).toEqual(["started", "finished", "closed"]);
  });

  test("ends by hardMs when Redis goes away while it waits for a handler", async () => {
    const { queue } = replica();
    await startBusy(queue, untilAborted);
    const closed = timeToClose(queue, { softMs: 400, hardMs: 1_200 });
    await way.cut();
    expect(await closed).toBeLessThan(8_000);
  });

  test("of a queue whose Redis was never there ends at once", async () => {
    await way.cut();
    const { queue } = replica();
    await queue.start(async () => undefined);
    expect(await timeToClose(queue, { softMs: 8_000, hardMs: 10_000 })).toBeLessThan(7_000);
  });
});

describe("with Redis away", () => {
  test("adding windows or a tick and applying schedules fail with redis-unavailable instead of hanging", async () => {
    const { queue, events } = replica();
    await queue.addWindows([window]);
    await way.cut();
    await waitFor(() => expect(events.of("redis:lost").length).toBe(1));
    await expect(queue.addWindows([window])).rejects.toMatchObject({ code: "redis-unavailable" });
    await expect(queue.applySchedules([])).rejects.toMatchObject({ code: "redis-unavailable" });
    const added = queue.addTick("orders" as DrainName, Date.now());
    await expect(added).rejects.toMatchObject({ code: "redis-unavailable" });
  });

  test("adding windows fails soon also when Redis was never there", async () => {
    await way.cut();
    const { queue, events } = replica();
    await waitFor(() => expect(events.of("redis:lost").length).toBe(1));
    const before = performance.now();
    await expect(queue.addWindows([window])).rejects.toMatchObject({ code: "redis-unavailable" });
    expect(performance.now() - before).toBeLessThan(5_000);
  });

  test("one redis:lost and one redis:ready are told, and work goes on", async () => {
    const { queue, events } = replica();
    const seen: string[] = [];
    await queue.start(async (job) => void seen.push(job.kind === "window" ? job.windowId : job.kind));
    await queue.addWindows([window]);
    await waitFor(() => expect(seen).toEqual(["1"]));
    await way.cut();
    await waitFor(() => expect(events.of("redis:lost").length).toBe(1));
    await way.heal();
    await waitFor(() => expect(events.of("redis:ready").length).toBe(1), { timeout: 30_000 });
    await queue.addWindows([{ ...window, windowId: "2" }]);
    await waitFor(() => expect(seen).toContain("2"), { timeout: 30_000 });
    expect(events.of("redis:lost").length).toBe(1);
    expect(events.of("redis:ready").length).toBe(1);
  });
});

test("a job whose marker was taken while Redis refused scripts is found within seconds of the right's return", async () => {
  const redis = new Redis(server.url());
  const allow = (...rules: string[]) =>
    redis.call("ACL", "SETUSER", "worker", "reset", "on", ">word", ...rules);
  await allow("~*", "&*", "+@all");
  const { queue, events } = replica("worker:word@");
  const seen: string[] = [];
  await queue.start(async (job) => void seen.push(job.kind));
  await queue.addTick("orders" as DrainName, Date.now());
  await waitFor(() => expect(seen).toEqual(["tick"]));
  await queue.addTick("orders" as DrainName, Date.now() + 1_500);
  const marker = `{${prefix}}:${prefix}-v1-short:marker`;
  await waitFor(async () => expect(await redis.exists(marker)).toBe(0));
  await allow("~*", "&*", "+@all", "-evalsha");
  await waitFor(() =>
    expect(events.of("job:failed")).toMatchObject([{ kind: "queue", code: "redis-unsuitable" }]),
  );
  expect(seen).toEqual(["tick"]);
  await allow("~*", "&*", "+@all");
  await waitFor(() => expect(seen).toEqual(["tick", "tick"]), { timeout: 10_000 });
  redis.disconnect();
});
