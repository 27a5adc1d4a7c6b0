import type { BuiltSource } from "../compose/build-source.ts";
import type { Core } from "../compose/build-core.ts";
import type { LiveCore } from "../compose/live-core.ts";
import type { Clock } from "../contracts/clock.ts";
import { toFailure } from "../contracts/errors.ts";
import type { Events } from "../contracts/events.ts";
import type { SourceId } from "../contracts/ids.ts";
import { takeCensusWithoutRedis } from "../census/count-and-copy-expiring.ts";
import type { SourceRuntime } from "../runtime.ts";

/** Longer than a restart or a failover of Redis; after one, the schedule continues by itself. */
const unwellForMs = 5 * 60_000;
const checkEveryMs = 5_000;

interface CopyingParts {
  readonly live: Pick<LiveCore, "acquire">;
  /** True if Redis answers, may keep a ledger and has room: then the jobs count. */
  readonly isRedisWell: () => boolean;
  readonly clock: Clock;
  readonly events: Events;
  readonly stop: AbortSignal;
}

/**
 * Retention runs while Redis is away, read-only or full, and no job counts then. Each call checks once. When due, it
 * lists every source without a count for its census interval, and copies records near their expiry. Answers ms until
 * the next check. It is each replica's own, so each makes a copy. A source that this process knows as paused or halted
 * is not listed.
 */
export function createCopyingWithoutRedis({
  live,
  isRedisWell,
  clock,
  events,
  stop,
}: CopyingParts): () => Promise<number> {
  let wellAt = clock.monotonic();
  const listedAt = new Map<SourceId, number>();

  const copy = async (core: Core, { runtime }: BuiltSource): Promise<void> => {
    const { config, health } = runtime;
    const at = clock.monotonic();
    if (at - (listedAt.get(config.id) ?? -Infinity) < config.censusEveryMs) return;
    if (health.current().state !== "usable" || (await isCounted(runtime))) return;
    listedAt.set(config.id, at);
    const { document, archive } = core;
    const drains = document.drains.filter(({ source }) => source.id === config.id);
    const order = { source: runtime, drains, documentHash: document.hash, archive };
    try {
      await takeCensusWithoutRedis(order, { signal: stop, stopping: stop });
    } catch (error) {
      if (!stop.aborted) events.emit({ type: "census:failed", source: config.id, ...toFailure(error) });
    }
  };

  return async () => {
    if (isRedisWell()) wellAt = clock.monotonic();
    if (clock.monotonic() - wellAt < unwellForMs) return checkEveryMs;
    const { core, release } = live.acquire();
    try {
      if (core.archive !== null) {
        await Promise.all([...core.sources.values()].map((source) => copy(core, source)));
      }
    } finally {
      release();
    }
    return checkEveryMs;
  };
}

/** A Redis that is full or read-only can still answer when the last count was. */
async function isCounted({ book, ledger, config }: SourceRuntime): Promise<boolean> {
  try {
    const census = await book.census();
    if (census === null) return false;
    const { at: now } = await ledger.now();
    return now - census.at < config.censusEveryMs;
  } catch {
    return false;
  }
}
