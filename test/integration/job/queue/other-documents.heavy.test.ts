import { once } from "node:events";
import { afterEach, describe, expect, test } from "vitest";
import { RedriverError } from "../../../../src/job/contracts/errors.ts";
import type { DrainName, PassId } from "../../../../src/job/contracts/ids.ts";
import type { Job, WorkQueue } from "../../../../src/job/contracts/work-queue.ts";
import { openQueue } from "../../../support/queue-redis.ts";
import { useRedis } from "../../../support/redis.ts";
import { waitFor } from "../../../support/wait-for.ts";

const server = useRedis();
const opened: WorkQueue[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((queue) => queue.close({ softMs: 0, hardMs: 2_000 })));
});

function open(keyPrefix: string) {
  const { queue, events } = openQueue(server.url(), { keyPrefix });
  opened.push(queue);
  return { queue, events };
}

/** Windows of a pass; here a drain is worked under one document alone. */
function windowsOf(drain: string, count: number): readonly Extract<Job, { kind: "window" }>[] {
  return Array.from({ length: count }, (_, index) => ({
    kind: "window",
    drain: drain as DrainName,
    passId: `p:${drain}` as PassId,
    windowId: `w${index}`,
  }));
}

const quickly = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));

/** A replica that works the windows of one drain, each by this, and leaves the others. */
async function startReplica(keyPrefix: string, drain: string, work: () => Promise<void>) {
  const { queue, events } = open(keyPrefix);
  const counts = { done: 0, left: 0 };
  await queue.start(async (job) => {
    if (job.kind === "window" && job.drain === drain) {
      await work();
      counts.done += 1;
      return;
    }
    counts.left += 1;
    throw new RedriverError("document-changed", "another document");
  });
  return { queue, events, counts };
}

describe("windows of a pass of another document", () => {
  test("keep no replica from its own behind them, however long they take", async () => {
    const { keyPrefix } = server.fresh();
    await open(keyPrefix).queue.addWindows([...windowsOf("orders", 60), ...windowsOf("refunds", 3)]);
    const gate = new AbortController();
    const busy = await startReplica(keyPrefix, "orders", async () => void (await once(gate.signal, "abort")));
    const other = await startReplica(keyPrefix, "refunds", quickly);
    await waitFor(() => expect(other.counts.done).toBe(3), { timeout: 30_000 });
    expect(busy.counts.done).toBe(0);
    expect(other.events.of("job:failed")).toEqual([]);
    gate.abort();
  });

  test("are still there for others when the one that left them closes while it rests", async () => {
    const { keyPrefix } = server.fresh();
    const leaving = await startReplica(keyPrefix, "refunds", quickly);
    await leaving.queue.addWindows(windowsOf("orders", 2));
    await waitFor(() => expect(leaving.counts.left).toBeGreaterThanOrEqual(2));
    const closedAt = Date.now();
    await leaving.queue.close({ softMs: 10_000, hardMs: 20_000 });
    expect(Date.now() - closedAt).toBeLessThan(9_000);
    const { counts } = await startReplica(keyPrefix, "orders", quickly);
    await waitFor(() => expect(counts.done).toBe(2), { timeout: 30_000 });
  });
});
