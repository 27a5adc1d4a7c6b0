/** Search indexes and the guards on them, as Redis has them: no index is read for it. */
import type { Core } from "../../compose/build-core.ts";
import { openIndexReader } from "../../compose/open-readers.ts";
import type { GuardConfig, IndexConfig } from "../../ports/drains-document.ts";
import type { GuardStanding } from "../../ports/guards.ts";
import type { DrainName } from "../../ports/ids.ts";
import type { IndexReading } from "../../ports/index-statistics.ts";

export interface IndexGuard extends GuardStanding {
  readonly drain: DrainName;
  readonly config: GuardConfig;
}

export interface IndexStanding extends Pick<IndexConfig, "name" | "id" | "period"> {
  /** The last one, taken by any replica; null: none, or it is stale. */
  readonly reading: IndexReading | null;
  readonly guards: readonly IndexGuard[];
}

/** All indexes of the document, in its order. Throws `redis-unavailable`. */
export async function readIndexes(
  core: Pick<Core, "redis" | "document" | "drains">,
): Promise<readonly IndexStanding[]> {
  const { indexes } = core.document;
  const readings = await openIndexReader(core).readAll(indexes.map(({ name }) => name));
  const guards = await Promise.all(
    [...core.drains.values()].map(async ({ config, source }) => {
      const standings = await source.guards.peek(config);
      return config.guards.flatMap((guard, position): readonly IndexGuard[] => {
        const standing = standings[position];
        return standing === undefined ? [] : [{ ...standing, drain: config.name, config: guard }];
      });
    }),
  );
  return indexes.map(({ name, id, period }) => ({
    name,
    id,
    period,
    reading: readings.find(({ index }) => index === name) ?? null,
    guards: guards.flat().filter(({ index }) => index === name),
  }));
}
