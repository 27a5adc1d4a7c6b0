import { pauseOf } from "../../job/contracts/pauses.ts";
import { type LanesCounted, hasLanes } from "../../job/contracts/lanes.ts";
import { maxLanesShown, type QueueFacts } from "../../job/contracts/queue-facts.ts";
import { type SourceRuntime, type Core, readFitness } from "../../job/door.ts";
import { toShortId } from "../../job/message/short-id.ts";
import { toDepth } from "./depth.ts";
import { toExpiring } from "./expiring.ts";
import { toShared } from "./shared.ts";
import { isStillCounting, toDestinations } from "./destinations.ts";
import { selectsEverything } from "../../job/message/select.ts";

/** Reads the facts of every drain and source of the document from Redis. Throws `redis-unavailable`. */
export async function readQueueFacts(core: Core): Promise<QueueFacts> {
  const sources = await Promise.all(
    [...core.sources.values()].map(async ({ runtime, pauses: book }) => {
      const rules = [...core.drains.values()].flatMap(({ config: { name: drain, rules }, source }) =>
        source === runtime
          ? rules.map(({ name: rule }) => ({ drain, rule, id: toShortId(drain, rule) }))
          : [],
      );
      const [summary, census, failures, pauses, lanes] = await Promise.all([
        runtime.ledger.summary(rules),
        runtime.book.census(),
        runtime.failures.all(),
        book.all(),
        readLanes(core, runtime),
      ]);
      const { id: source, censusEveryMs } = runtime.config;
      return { source, censusEveryMs, summary, census, failures, pauses, lanes, now: runtime.clock.now() };
    }),
  );
  const drains = await Promise.all(
    [...core.drains.values()].map(async ({ config, source, shared }) => {
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
        mayShare: shared !== undefined,
        mode: config.mode,
        copiesWithinMs:
          core.document.archive !== undefined && config.beforeExpiry.then === "archive"
            ? config.beforeExpiry.withinMs
            : null,
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
    sources: sources.map(({ pauses: _pauses, now, ...source }) => {
      const own = withDestinations.filter((drain) => drain.source === source.source);
      const shared = toShared(source, own);
      const depth = toDepth(source, own, shared);
      return { ...source, depth, expiring: toExpiring(source, own, now), shared };
    }),
  };
}

async function readLanes(core: Core, source: SourceRuntime): Promise<LanesCounted | null> {
  return hasLanes(core.drains, source) ? source.lanes.busiest(maxLanesShown) : null;
}
