import { describe, expect, it } from "vitest";
import { createSweeping } from "../../../../src/job/daemon/keep-sweeping.ts";
import type { SourceId } from "../../../../src/job/contracts/ids.ts";
import { createJobStand, type JobStand } from "../../../support/job-stand.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();
const everyMs = 15_000;
/** The middle of a span. */
const clock = { now: () => 100_000 * everyMs };
const aSecond = { signal: new AbortController().signal, lastTry: true };

/** One look of a replica. */
function look({ live, queue, earlyTicks, events }: JobStand): Promise<number> {
  const current = (): ReturnType<typeof live.current> => live.current();
  return createSweeping({ current, queue, earlyTicks, events, clock, everyMs })();
}

/** Ids of the jobs that wait; none is taken, because no worker is started. */
async function waiting({ live, rig }: JobStand): Promise<readonly string[]> {
  const { keyPrefix } = rig.core.settings.redis;
  const key = `{${keyPrefix}}:${keyPrefix}-v1-short:wait`;
  return (await live.current().redis.command("LRANGE", key, 0, -1)) as string[];
}

/** Leaves a record published and not deleted, as a worker that was lost. */
async function leavePending({ rig }: JobStand): Promise<void> {
  rig.seed(1);
  rig.emulator.faults.add({ kind: "status", operation: "delete", status: 500, count: 1_000 });
  await rig.pass();
  expect(await rig.drain.source.ledger.summary()).toMatchObject({ pendingDelete: 1 });
}

describe("a replica that looks whether a sweep is needed", () => {
  it("adds no job while nothing is open or pending, and looks again after its interval", async () => {
    const stand = await createJobStand({ redisUrl: redis.url() });
    expect(await look(stand)).toBe(everyMs);
    expect(await waiting(stand)).toEqual([]);
  });

  it("adds one job for what is pending, however many replicas look, and that job finishes it", async () => {
    const stand = await createJobStand({ redisUrl: redis.url() });
    await leavePending(stand);
    await Promise.all([look(stand), look(stand)]);
    await look(stand);
    expect(await waiting(stand)).toEqual(["sweep-of-default-100000"]);
    stand.rig.emulator.faults.clear();
    await stand.handle({ kind: "sweep", source: "default" as SourceId }, aSecond);
    expect(await stand.rig.drain.source.ledger.summary()).toMatchObject({ pendingDelete: 0 });
  });
});
