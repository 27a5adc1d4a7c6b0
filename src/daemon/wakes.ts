import type { Core } from "../compose/build-core.ts";
import type { BuiltSource } from "../compose/build-source.ts";
import type { DrainName } from "../ports/ids.ts";
import type { Tally } from "../ports/passes.ts";
import type { WorkQueue } from "../ports/queue.ts";
import type { DrainRuntime, SourceRuntime } from "../redrive/runtime.ts";

/** How long after the end of a rest: by then what cooled for it is due too. */
const afterRestMs = 250;

/**
 * What is not left to the schedule, which may be hours away: what a rest held goes on when the rest is over, and after a loss of
 * Redis's writes everything is looked at while a hit on a deduplication id can still tell what was published. One that is lost costs the wait
 * for the schedule and nothing else, so none of these fails.
 */
export interface Wakes {
  /** No pass could be opened before this, Unix ms. */
  notOpened(drain: DrainName, until: number): Promise<void>;
  opened(drain: DrainName): void;
  /** A pass has ended, and this is what it did. */
  closed(drain: DrainRuntime, tally: Tally): Promise<void>;
  /** Something of this source may be left for the sweep. */
  afterDeletes(source: SourceRuntime): Promise<void>;
  /** Looks for losses that this process has noticed. */
  afterLosses(core: Pick<Core, "sources" | "drains">): Promise<void>;
}

export function createWakes(queue: Pick<WorkQueue, "addTick" | "addSweep">): Wakes {
  const lossesSeen = new WeakMap<BuiltSource, number>();
  /** Drains whose next pass must not wait; one that is open does not count. */
  const owed = new Set<DrainName>();
  const tick = (drain: DrainName, at: number): Promise<void> =>
    queue.addTick(drain, at).catch(() => undefined);

  return {
    notOpened: (drain, until) => tick(drain, until + afterRestMs),
    opened: (drain) => void owed.delete(drain),
    async closed({ config, source }, { reasons }) {
      const now = source.clock.now();
      if (owed.has(config.name)) return tick(config.name, now);
      const health = source.health.current("batch");
      if ((reasons.due["not-sent"] ?? 0) === 0 || health.state === "halted") return;
      await tick(config.name, (health.state === "waiting" ? health.until : now) + afterRestMs);
    },
    async afterDeletes({ config, health }) {
      const now = health.current();
      if (now.state !== "waiting") return;
      await queue.addSweep(config.id, now.until + afterRestMs).catch(() => undefined);
    },
    async afterLosses({ sources, drains }) {
      for (const source of sources.values()) {
        const losses = source.losses();
        if (losses === (lossesSeen.get(source) ?? 0)) continue;
        lossesSeen.set(source, losses);
        for (const [name, drain] of drains) {
          if (drain.source !== source.runtime) continue;
          owed.add(name);
          await tick(name, drain.source.clock.now());
        }
      }
    },
  };
}
