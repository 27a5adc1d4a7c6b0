import { pauseOf } from "../../job/contracts/pauses.ts";
import { isRedisSilent } from "../../job/contracts/errors.ts";
import type { LanesCounted } from "../../job/contracts/lanes.ts";
import { maxLanesShown, type QueueFacts } from "../../job/contracts/queue-facts.ts";
import { checkFitness } from "../../job/redis/check-fitness-and-room.ts";
import { findMissingRights } from "../../job/redis/find-missing-rights.ts";
import type { SourceRuntime } from "../../job/runtime.ts";
import type { Core } from "../../job/compose/build-core.ts";
import { toDepth } from "./depth.ts";
import { isStillCounting, toDestinations } from "./destinations.ts";
import { hasLanes } from "../../job/lanes/listing-checks.ts";
import { selectsEverything } from "../../job/message/select.ts";

/** Reads the facts of every drain and source of the document from Redis. Throws `redis-unavailable`. */
export async function readQueueFacts(core: Core): Promise<QueueFacts> {
  const sources = await Promise.all(
    [...core.sources.values()].map(async ({ runtime, pauses: book }) => {
      const [summary, census, failures, pauses, lanes] = await Promise.all([
        runtime.ledger.summary(),
        runtime.book.census(),
        runtime.failures.all(),
        book.all(),
        readLanes(core, runtime),
      ]);
      const { id: source, censusEveryMs } = runtime.config;
      return { source, censusEveryMs, summary, census, failures, pauses, lanes };
    }),
  );
  const drains = await Promise.all(
    [...core.drains.values()].map(async ({ config, source }) => {
      const pauses = sources.find((one) => one.source === source.config.id)?.pauses ?? [];
      const [guards, facts] = await Promise.all([
        source.guards.standings(config),
        source.passes.facts(config.name),
      ]);
      return {
        source: source.config.id,
        drain: config.name,
        acting: config.mode === "live" && !config.paused && pauseOf(pauses, config.name) === undefined,
        guards,
        facts,
        retentionMs: source.config.retentionMs,
        selectsEverything: selectsEverything(config),
      };
    }),
  );
  const withDestinations = drains.map((drain) => {
    const { census = null, failures = [] } = sources.find(({ source }) => source === drain.source) ?? {};
    const selected = census?.selected?.[drain.drain];
    return {
      ...drain,
      stillCounting: isStillCounting(drain.facts, selected),
      destinations: toDestinations(drain.facts, failures, selected ?? {}),
    };
  });
  return {
    documentHash: core.document.hash,
    ...(await readFitness(core)),
    drains: withDestinations,
    sources: sources.map(({ pauses: _pauses, ...source }) => {
      const own = withDestinations.filter((drain) => drain.source === source.source);
      return { ...source, depth: toDepth(source, own) };
    }),
  };
}

async function readLanes(core: Core, source: SourceRuntime): Promise<LanesCounted | null> {
  return hasLanes(core.drains, source) ? source.lanes.busiest(maxLanesShown) : null;
}

/** A Redis that refuses this user's questions is as unfit as one that is set up wrongly. */
async function readFitness({
  redis,
  sources,
}: Pick<Core, "redis" | "sources">): Promise<Pick<QueueFacts, "redisFit" | "redisMemoryShare">> {
  try {
    const [{ problems, memoryShare }, missing] = await Promise.all([
      checkFitness(redis),
      findMissingRights(redis, [...sources.keys()]),
    ]);
    return {
      redisFit: missing.length === 0 && problems.every(({ weight }) => weight !== "refuse"),
      redisMemoryShare: memoryShare,
    };
  } catch (error) {
    if (isRedisSilent(error)) throw error;
    return { redisFit: false, redisMemoryShare: null };
  }
}
