import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { RedriverError } from "../../../../src/job/contracts/errors.ts";
import type { DrainName, PassId } from "../../../../src/job/contracts/ids.ts";
import type { Job, WorkQueue } from "../../../../src/job/contracts/work-queue.ts";
import { openQueue, type RecordedEvents } from "../../../support/queue-redis.ts";
import { createRedisServers, freePort, type RedisServer } from "../../../support/redis-servers.ts";
import { waitFor } from "../../../support/wait-for.ts";

const servers = createRedisServers();
let server: RedisServer;
let queue: WorkQueue;
let events: RecordedEvents;

beforeEach(async () => {
  server = await servers.start(["--repl-diskless-sync-delay", "0"]);
  ({ queue, events } = openQueue(server.url, {
    keyPrefix: "refused",
    lock: { durationMs: 400, stalledIntervalMs: 200 },
    retry: { attempts: 1, baseMs: 20, capMs: 20 },
  }));
});
afterEach(() => queue.close({ softMs: 0, hardMs: 2_000 }));
afterAll(() => servers.stop());

function windowOf(windowId: string): Extract<Job, { kind: "window" }> {
  return { kind: "window", drain: "orders" as DrainName, passId: "p" as PassId, windowId };
}

const told = (): readonly string[] => events.of("job:failed").map(({ kind, code }) => `${kind} ${code}`);

/** A machine that stands still for the 400 ms of a job's lock stops the job. */
const withoutStops = (all: readonly string[]): readonly string[] =>
  all.filter((one) => one !== "queue stopped");

describe("a window while Redis takes no writes", () => {
  test("comes back when it takes them again, with no try spent, although it could not be moved", async () => {
    const runs: boolean[] = [];
    const nobody = await freePort();
    await queue.start(async (_job, { lastTry }) => {
      runs.push(lastTry);
      if (runs.length > 1) return;
      await server.admin.replicaof("127.0.0.1", nobody);
      throw new RedriverError("redis-unavailable", "READONLY");
    });
    await queue.addWindows([windowOf("1")]);
    await waitFor(() => expect(told()).toContain("queue redis-unavailable"), { timeout: 30_000 });
    expect(runs).toEqual([true]);
    await server.admin.replicaof("NO", "ONE");
    await waitFor(() => expect(runs).toEqual([true, true]), { timeout: 30_000 });
    expect(events.of("job:failed").filter(({ givenUp }) => givenUp)).toEqual([]);
    expect(told()).not.toContain("queue unexpected");
  });
});

test("a job that Redis forgot while it was under way is told as a loss of writes, and others are worked", async () => {
  const seen: string[] = [];
  await queue.start(async (job) => {
    if (job.kind !== "window") return;
    seen.push(job.windowId);
    if (job.windowId === "forgotten") await server.admin.flushall();
  });
  await queue.addWindows([windowOf("forgotten")]);
  await waitFor(() => expect(withoutStops(told())).toEqual(["queue ledger-lost-writes"]), {
    timeout: 30_000,
  });
  await queue.addWindows([windowOf("after")]);
  await waitFor(() => expect(seen).toEqual(["forgotten", "after"]), { timeout: 30_000 });
});
