import { onTestFinished } from "vitest";
import { openLiveCore } from "../../src/job/compose/open-core.ts";
import { buildNotices } from "../../src/people/notices/build-notices.ts";
import { readSecret } from "../../src/config/read-secret.ts";
import { systemClock } from "../../src/system-world.ts";
import { createTeardown } from "../../src/teardown.ts";
import { createJobHandler } from "../../src/job/daemon/handle-job.ts";
import { createPeerReplicas } from "../../src/job/daemon/peer-replicas.ts";
import { createEarlyTicks } from "../../src/job/daemon/early-ticks.ts";
import type { RetryPolicy } from "../../src/job/queue/policy.ts";
import { openQueue } from "./queue-redis.ts";
import { createRig, type RigOptions } from "./rig.ts";

export type JobStand = Awaited<ReturnType<typeof createJobStand>>;

/** A daemon's jobs on a real queue, in this process: a replica beside the rig. */
export async function createJobStand(
  options: RigOptions,
  { retry, isFit = true }: { readonly retry?: RetryPolicy; readonly isFit?: boolean } = {},
) {
  const rig = await createRig(options);
  const { keyPrefix } = rig.core.settings.redis;
  const { queue, events } = openQueue(options.redisUrl, {
    keyPrefix,
    ...(retry === undefined ? {} : { retry }),
  });
  const teardown = createTeardown();
  const { settings, document } = rig.core;
  const live = openLiveCore({ settings, document, env: {}, events, teardown });
  onTestFinished(async () => {
    await queue.close({ softMs: 0, hardMs: 2_000 });
    await teardown.run(2_000);
  });
  await live.current().redis.ready(5_000);
  /** Whether Redis is fit for a ledger, as the daemon last found, and how often a job asked. */
  const state = { isFit, asked: 0 };
  const earlyTicks = createEarlyTicks(queue);
  const { handle, beforeGivenUp } = createJobHandler({
    live,
    queue,
    earlyTicks,
    peers: createPeerReplicas(live.current().replicas, "this"),
    events,
    clock: systemClock,
    readStatistics: () => Promise.resolve(),
    notices: buildNotices((ref) => readSecret(ref, { env: {}, settings }), events, systemClock),
    stopping: new AbortController().signal,
    mayAct: () => {
      state.asked += 1;
      return state.isFit;
    },
  });
  return {
    rig,
    live,
    events,
    queue,
    earlyTicks,
    state,
    handle,
    start: () => queue.start(handle, beforeGivenUp),
  };
}
