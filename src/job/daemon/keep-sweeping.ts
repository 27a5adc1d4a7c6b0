/**
 * Each replica asks the ledger every `sweep.every` whether a source needs a sweep, and adds its job only then: an idle
 * source costs a few commands. All replicas ask at about the same time, and all of them together add one job.
 */
import type { Core } from "../compose/build-core.ts";
import type { Clock } from "../contracts/clock.ts";
import { isRedisAway, toFailure } from "../contracts/errors.ts";
import type { Events } from "../contracts/events.ts";
import type { WorkQueue } from "../contracts/work-queue.ts";
import { hasLanes } from "../contracts/lanes.ts";
import type { SourceRuntime } from "../runtime.ts";
import { needsSweep } from "../sweep/sweep.ts";
import type { EarlyTicks } from "./early-ticks.ts";

interface SweepingParts {
  readonly current: () => Pick<Core, "sources" | "drains">;
  readonly queue: Pick<WorkQueue, "addSweepOf">;
  readonly earlyTicks: Pick<EarlyTicks, "afterLosses" | "afterLanes">;
  readonly events: Events;
  readonly clock: Pick<Clock, "now">;
  readonly everyMs: number;
}

export function createSweeping({ current, queue, earlyTicks, events, clock, everyMs }: SweepingParts) {
  async function look(source: SourceRuntime, core: Pick<Core, "drains">): Promise<void> {
    try {
      const isWanted =
        (await needsSweep(source)) || (hasLanes(core.drains, source) && (await source.lanes.areWaiting()));
      if (isWanted) await queue.addSweepOf(source.config.id, clock.now(), everyMs);
    } catch (error) {
      if (isRedisAway(error)) return;
      events.emit({ type: "sweep:failed", source: source.config.id, ...toFailure(error) });
    }
  }

  return async (): Promise<number> => {
    const core = current();
    await Promise.all([...core.sources.values()].map(({ runtime }) => look(runtime, core)));
    // What the ledger told of a loss, and what other replicas have done to lanes.
    await earlyTicks.afterLosses(core);
    await earlyTicks.afterLanes(core);
    // A loop may be a little early.
    const now = clock.now();
    return (Math.round(now / everyMs) + 1) * everyMs - now;
  };
}
