import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { RedriverError } from "../../../../src/job/contracts/errors.ts";
import type { DrainName, PassId } from "../../../../src/job/contracts/ids.ts";
import type { Job, JobContext, WorkQueue } from "../../../../src/job/contracts/work-queue.ts";
import { openQueue, type RecordedEvents } from "../../../support/queue-redis.ts";
import { useRedis } from "../../../support/redis.ts";
import { waitFor } from "../../../support/wait-for.ts";

const server = useRedis();
let redis: Redis;
let queue: WorkQueue;
let events: RecordedEvents;
let prefix: string;

beforeAll(() => {
  redis = new Redis(server.url());
});
afterAll(() => redis.disconnect());
beforeEach(() => {
  prefix = server.fresh().keyPrefix;
  ({ queue, events } = openQueue(server.url(), {
    keyPrefix: prefix,
    lock: { durationMs: 400, stalledIntervalMs: 200 },
  }));
});
afterEach(() => queue.close({ softMs: 0, hardMs: 2_000 }));

function windowOf(windowId: string): Extract<Job, { kind: "window" }> {
  return { kind: "window", drain: "orders" as DrainName, passId: "p:1" as PassId, windowId };
}

function keyOf(windowId: string): string {
  return `{${prefix}}:${prefix}-v1-windows:window/p%3A1/${windowId}`;
}

async function scan(pattern: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const some of redis.scanStream({ match: pattern })) keys.push(...(some as string[]));
  return keys;
}

describe("windows", () => {
  test("a window whose job is in no list, because Redis refused to move it half way, is added again", async () => {
    const seen: string[] = [];
    await queue.addWindows([windowOf("1")]);
    await redis.del(`{${prefix}}:${prefix}-v1-windows:wait`);
    await queue.addWindows([windowOf("1")], 1);
    queue.allow({ short: 1, windows: 1 });
    await queue.start((job) => Promise.resolve(void seen.push(job.kind === "window" ? job.windowId : "")));
    await waitFor(() => expect(seen).toEqual(["1"]));
  });

  test("those from the front are added until so many wait or run; one that waits for another try makes room", async () => {
    const seen: string[] = [];
    const ends: (() => void)[] = [];
    await queue.start(async (job) => {
      if (job.kind !== "window") return;
      seen.push(job.windowId);
      if (job.windowId === "1") {
        throw new RedriverError("rate-limited", "429", { retryAt: Date.now() + 60_000 });
      }
      await new Promise<void>((resolve) => ends.push(resolve));
    });
    const all = ["1", "2", "3", "4", "5"].map(windowOf);
    await queue.addWindows(all, 2);
    await waitFor(async () => expect(await redis.zcard(`{${prefix}}:${prefix}-v1-windows:delayed`)).toBe(1));
    await waitFor(() => expect(seen.toSorted()).toEqual(["1", "2"]));
    await queue.addWindows(all, 2);
    await waitFor(() => expect(seen).toContain("3"));
    await queue.addWindows(all, 2);
    expect(await redis.exists(keyOf("4"))).toBe(0);
    ends.splice(0).forEach((end) => end());
    await waitFor(async () => expect(await redis.hget(keyOf("3"), "finishedOn")).not.toBeNull());
    await queue.addWindows(all, 2);
    await waitFor(() => expect(seen.toSorted()).toEqual(["1", "2", "3", "4", "5"]));
    ends.splice(0).forEach((end) => end());
  });

  test("one that is put back for a moment makes no room: however often it is, no more are added", async () => {
    let seen = 0;
    await queue.start(async () => {
      seen += 1;
      throw new RedriverError("service-resting", "no slot", { retryAt: Date.now() + 500 });
    });
    const all = ["1", "2", "3", "4", "5"].map(windowOf);
    await queue.addWindows(all, 2);
    for (const times of [2, 4, 6]) {
      await waitFor(() => expect(seen).toBeGreaterThanOrEqual(times));
      await queue.addWindows(all, 2);
    }
    const added = await Promise.all(["2", "3", "4", "5"].map((id) => redis.exists(keyOf(id))));
    expect(added).toEqual([1, 0, 0, 0]);
  });

  test("wait runs again at retryAt and spends no try", async () => {
    const starts: number[] = [];
    const contexts: JobContext[] = [];
    let retryAt = 0;
    await queue.start(async (_job, context) => {
      starts.push(Date.now());
      contexts.push(context);
      if (starts.length <= 4) {
        retryAt = Date.now() + 300;
        throw new RedriverError("rate-limited", "429", { retryAt });
      }
    });
    await queue.addWindows([windowOf("1")]);
    await waitFor(() => expect(starts.length).toBe(5), { timeout: 30_000 });
    expect(starts[4]).toBeGreaterThanOrEqual(retryAt);
    expect(contexts.map(({ lastTry }) => lastTry)).toEqual([false, false, false, false, false]);
    expect(events.of("job:failed").filter(({ kind }) => kind === "window")).toEqual([]);
  });

  test("retry is tried with backoff until the last try, which the handler is told of", async () => {
    const lastTries: boolean[] = [];
    await queue.start(async (_job, { lastTry }) => {
      lastTries.push(lastTry);
      throw new RedriverError("service-unavailable", "expected 2xx, got 503");
    });
    await queue.addWindows([windowOf("1")]);
    await waitFor(() => expect(events.of("job:failed").length).toBe(3));
    await waitFor(async () => expect(await redis.hget(keyOf("1"), "finishedOn")).not.toBeNull());
    expect(lastTries).toEqual([false, false, true]);
    expect(events.of("job:failed").map(({ givenUp }) => givenUp)).toEqual([false, false, true]);
  });

  test("a lost lock aborts the handler and leaves the other worker's run alone", async () => {
    const outcomes: string[] = [];
    await queue.start(async (_job, { signal }) => {
      const run = outcomes.push("started") - 1;
      if (run > 0) {
        outcomes[run] = "second run";
        return;
      }
      await redis.set(`${keyOf("1")}:lock`, "somebody else", "PX", 400);
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      outcomes[run] = "aborted";
      throw new RedriverError("stopped", "stopped");
    });
    await queue.addWindows([windowOf("1")]);
    await waitFor(() => expect(outcomes).toEqual(["aborted", "second run"]), { timeout: 30_000 });
    expect(events.of("job:failed").filter(({ kind }) => kind === "window")).toEqual([]);
  });

  test("one whose job did nothing, as no document had its drain, is added again once that is not just now", async () => {
    let runs = 0;
    await queue.start(async () => void (runs += 1));
    await queue.addWindows([windowOf("1")], 2);
    await waitFor(async () => expect(await redis.hget(keyOf("1"), "finishedOn")).not.toBeNull());
    await queue.addWindows([windowOf("1")], 2);
    await redis.hset(keyOf("1"), "finishedOn", Date.now() - 11_000);
    expect(runs).toBe(1);
    await queue.addWindows([windowOf("1")], 2);
    await waitFor(() => expect(runs).toBe(2));
  });

  test("a job of another version is given up and reported", async () => {
    await queue.addWindows([windowOf("1")]);
    await redis.hset(keyOf("1"), "data", JSON.stringify({ kind: "window", drain: "orders" }));
    await queue.start(async () => undefined);
    await waitFor(() => expect(events.of("job:failed").length).toBe(1));
    expect(events.of("job:failed")[0]).toMatchObject({ kind: "unknown", givenUp: true });
  });
});

describe("what Redis holds", () => {
  test.each([
    ["given up", { attempts: 1, baseMs: 20, capMs: 50 }, "finishedOn"],
    ["to be tried again", { attempts: 2, baseMs: 3_600_000, capMs: 3_600_000 }, "failedReason"],
  ])(
    "nothing of a message, neither riding on a job nor quoted by an error: %s",
    async (_name, retry, field) => {
      const secret = "body-of-somebody";
      await queue.close({ softMs: 0, hardMs: 2_000 });
      ({ queue, events } = openQueue(server.url(), { keyPrefix: prefix, retry }));
      await queue.start(async (job) => {
        if (job.kind === "window" && job.windowId === "quotes") JSON.parse(secret);
      });
      const overfull = { ...windowOf("overfull"), body: secret };
      await queue.addWindows([overfull, windowOf("quotes")]);
      await waitFor(async () => expect(await redis.hget(keyOf("quotes"), field)).not.toBeNull());
      expect(await redis.hget(keyOf("quotes"), "stacktrace")).toBe("[]");
      const texts: string[] = [];
      for (const key of await scan(`*${prefix}*`)) {
        const type = await redis.type(key);
        if (type === "hash") texts.push(JSON.stringify(await redis.hgetall(key)));
        if (type === "stream") texts.push(JSON.stringify(await redis.xrange(key, "-", "+")));
        if (type === "string") texts.push((await redis.get(key)) ?? "");
      }
      // The code alone; even the words of an error may repeat what was sent.
      expect(await redis.hget(keyOf("quotes"), "failedReason")).toBe("unexpected");
      expect(texts.join("\n")).not.toContain(secret.slice(0, 6));
      expect(JSON.stringify(events.all)).not.toContain(secret.slice(0, 6));
    },
  );
});

describe("progress", () => {
  test("is unknown before the first job and the time of the last one after it", async () => {
    expect(queue.lastProgressAt()).toBeUndefined();
    await queue.start(async () => undefined);
    const before = Date.now();
    await queue.addWindows([windowOf("1")]);
    await waitFor(() => expect(queue.lastProgressAt()).toBeGreaterThanOrEqual(before));
  });
});
