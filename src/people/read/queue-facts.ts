import { pauseOf } from "../../job/contracts/pauses.ts";
import { hasLanes } from "../../job/contracts/lanes.ts";
import { maxLanesShown, type QueueFacts } from "../../job/contracts/queue-facts.ts";
import { type Core, readFitness } from "../../job/door.ts";
import { toShortId } from "../../job/message/short-id.ts";
import { toDepth } from "./depth.ts";
import { toExpiring } from "./expiring.ts";
import { countsByKind, isStillCounting, toDestinations } from "./counts-by-kind.ts";
import { sumOf } from "./totals.ts";
import { groupBy } from "../../group-items-by-key.ts";
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
      const [summary, known, failures, pauses, lanes] = await Promise.all([
        runtime.ledger.summary(rules),
        runtime.book.census(),
        runtime.failures.all(),
        book.all(),
        hasLanes(core.drains, runtime) ? runtime.lanes.busiest(maxLanesShown) : null,
      ]);
      const { id: source, censusEveryMs } = runtime.config;
      const countingKey = [...core.drains.values()].find((one) => one.source === runtime)?.countingKey;
      const isOutdated = known?.documentHash !== core.document.hash && known?.countingKey !== countingKey;
      const census = known && { ...known, ...(isOutdated ? { isOutdated } : {}) };
      const soFar = known === null ? await runtime.book.countedSoFar() : null;
      const now = runtime.clock.now();
      return { source, censusEveryMs, summary, census, soFar, failures, pauses, lanes, now };
    }),
  );
  const drains = await Promise.all(
    [...core.drains.values()].map(async ({ config, source, shared, hasOthers, countingKey }) => {
      const pauses = sources.find((one) => one.source === source.config.id)?.pauses ?? [];
      const [guards, facts] = await Promise.all([
        source.guards.standings(config),
        source.passes.facts(config.name),
      ]);
      const isOutdated = hasOthers && facts?.counted !== undefined && facts.counted.as !== countingKey;
      return {
        source: source.config.id,
        drain: config.name,
        acting: config.mode === "live" && !config.paused && pauseOf(pauses, config.name) === undefined,
        guards,
        facts,
        retentionMs: source.config.retentionMs,
        selectsEverything: selectsEverything(config),
        mayShare: shared !== undefined,
        ...(isOutdated ? { isOutdated } : {}),
        copiesWithinMs:
          core.document.archive !== undefined && config.beforeExpiry.then === "archive"
            ? config.beforeExpiry.withinMs
            : null,
      };
    }),
  );
  const found = sources.map(({ pauses: _pauses, now, ...source }) => {
    const { census, failures } = source;
    const selected = census?.isOutdated === true ? undefined : census?.selected;
    const ofSource = drains.filter((drain) => drain.source === source.source);
    const isOutdated = ofSource.some((drain) => drain.isOutdated);
    const counting = ofSource.map((drain) => ({
      ...drain,
      stillCounting: isOutdated || isStillCounting(drain.facts, selected?.[drain.drain]),
    }));
    const counts = countsByKind(source, counting, now);
    const byDrain = groupBy([...counts.values()].flat(), ({ drain }) => drain);
    const own = counting.map((drain) => ({
      ...drain,
      destinations: toDestinations(byDrain.get(drain.drain) ?? [], failures),
    }));
    const again = own.flatMap(({ destinations }) => destinations.flatMap((one) => one.again ?? []));
    const shared =
      again.length === 0 && !own.some(({ mayShare }) => mayShare)
        ? null
        : {
            waiting: sumOf(again, ({ waiting }) => waiting),
            parked: sumOf(again, ({ parked }) => parked),
          };
    const depth = toDepth(source, own, shared);
    return {
      drains: own,
      source: { ...source, depth, expiring: toExpiring(source, own, counts, now), shared },
    };
  });
  const inOrder = found.flatMap((one) => one.drains);
  return {
    documentHash: core.document.hash,
    ...(await readFitness(core)),
    drains: drains.flatMap(({ drain }) => inOrder.find((one) => one.drain === drain) ?? []),
    sources: found.map(({ source }) => source),
  };
}
