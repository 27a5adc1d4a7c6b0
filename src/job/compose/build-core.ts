import { createSharedLetters, toCountingKey } from "../failures/shared-letters.ts";
import { isDeepStrictEqual } from "node:util";
import { toLedgerLimits } from "../../config/settings/ledger-limits.ts";
import type { Settings } from "../../config/settings/settings.ts";
import type { Archive } from "../contracts/archive.ts";
import type { DrainConfig, DrainsDocument, SourceConfig } from "../contracts/drains-document.ts";
import type { DrainName, SourceId } from "../contracts/ids.ts";
import type { PlanBook } from "../contracts/plans.ts";
import type { Replicas } from "../contracts/replicas.ts";
import type { StatisticsStore } from "../contracts/index-statistics.ts";
import type { RedisConnection } from "../redis/connect.ts";
import type { DrainRuntime, World } from "../runtime.ts";
import { createRedisStatisticsStore } from "../store/statistics/redis-statistics-store.ts";
import { lookAtVolume, openArchive } from "./open-archive.ts";
import { buildSource, type BuiltSource, type ProcessParts } from "./build-source.ts";
import { buildIndexReadings } from "./build-index-readings.ts";
import { createTeardown } from "../../teardown.ts";

export interface Core {
  readonly settings: Settings;
  readonly document: DrainsDocument;
  readonly redis: RedisConnection;
  /** `none`: there is no Redis, so what it would hold is empty. */
  readonly ledger: "there" | "none";
  readonly replicas: Replicas;
  readonly plans: PlanBook;
  readonly sources: ReadonlyMap<SourceId, BuiltSource>;
  readonly drains: ReadonlyMap<DrainName, DrainRuntime>;
  /** This process's part of the archive; null if the document names none. */
  readonly archive: Archive | null;
}

export interface CoreParts extends ProcessParts {
  readonly replicas: Replicas;
  readonly plans: PlanBook;
  readonly readsIndexes?: boolean;
}

interface PreviousCore {
  /** Sources that are the same in both cores are taken over: their connections, health and clock. */
  readonly before: Core | null;
  /** The document in force now. A drain that it pauses or lacks begins nothing more. */
  readonly documentNow: () => DrainsDocument;
}

/** Throws `settings-invalid` with what is missing, and leaves nothing behind then. */
export function buildCore(parts: CoreParts, document: DrainsDocument, succession?: PreviousCore): Core {
  const { settings, redis, replicas, plans } = parts;
  const documentNow = succession?.documentNow ?? (() => document);
  const sources = buildSources(parts, document, documentNow, succession?.before ?? null);
  const archive = buildArchive(parts, document, succession?.before ?? null);
  const drains = new Map<DrainName, DrainRuntime>();
  for (const config of document.drains) {
    const source = sources.get(config.source.id);
    if (source === undefined) continue;
    const ofSource = document.drains.filter(({ source: { id } }) => id === config.source.id);
    const shared = createSharedLetters(config, ofSource, source.runtime);
    drains.set(config.name, {
      config: withPauseNow(config, documentNow),
      documentHash: document.hash,
      countingKey: toCountingKey(ofSource),
      source: source.runtime,
      archive,
      nearMs: maxWithinMs(document, config.source.id),
      hasOthers: ofSource.length > 1,
      ...(shared === null ? {} : { shared }),
    });
  }
  return { settings, document, redis, ledger: "there", replicas, plans, sources, drains, archive };
}

function maxWithinMs({ drains }: DrainsDocument, id: SourceId): number {
  return Math.max(
    ...drains.filter(({ source }) => source.id === id).map(({ beforeExpiry }) => beforeExpiry.withinMs),
  );
}

/** The archive of the core before is taken over if it is the same: each process has one open file. */
function buildArchive(
  { redis, world, teardown, decorate }: CoreParts,
  { archive: config, sources }: DrainsDocument,
  before: Core | null,
): Archive | null {
  if (config === undefined) return null;
  if (before !== null && before.archive !== null && isDeepStrictEqual(before.document.archive, config)) {
    return before.archive;
  }
  const built = openArchive(config, redis, ({ message }) => {
    for (const { id } of sources) world.events.emit({ type: "archive:failed", source: id, message });
  });
  const archive = decorate?.archive?.(built, config) ?? built;
  teardown.add("archive", () => archive.close());
  void reportVolume(config, world);
  return archive;
}

async function reportVolume(
  config: NonNullable<DrainsDocument["archive"]>,
  { events }: World,
): Promise<void> {
  const seen = await lookAtVolume(config);
  if (seen === null) return;
  const { verdict, complaint } = seen;
  events.emit({ type: "archive:volume-seen", verdict, complaint });
}

function buildSources(
  parts: CoreParts,
  document: DrainsDocument,
  documentNow: () => DrainsDocument,
  before: Core | null,
): ReadonlyMap<SourceId, BuiltSource> {
  const sources = new Map<SourceId, BuiltSource>();
  const readings = buildReadings(parts, document);
  const built = createTeardown();
  try {
    for (const config of document.sources) {
      const known = before?.sources.get(config.id);
      // Known copies belong to one archive.
      const isSameArchive = before?.document.archive?.dir === document.archive?.dir;
      if (known !== undefined && isSameArchive && isSame(known, config, parts.settings, document)) {
        sources.set(config.id, known);
        continue;
      }
      const source = buildSource(config, { ...parts, document, documentNow, readings, teardown: built });
      sources.set(config.id, source);
    }
  } catch (error) {
    void built.run(closeWithinMs);
    throw error;
  }
  parts.teardown.add("sources", async () => {
    await built.run(closeWithinMs);
  });
  return sources;
}

/** For guards. Without a daemon beside this process, a missing reading is taken on request. */
function buildReadings(
  { redis, readsIndexes, readSecret, settings, world }: CoreParts,
  { indexes }: DrainsDocument,
): Pick<StatisticsStore, "readAll"> {
  if (readsIndexes !== true) return createRedisStatisticsStore(redis);
  const readings = buildIndexReadings(redis, settings, readSecret, world.events);
  return { readAll: (names) => readings.readFresh(indexes.filter(({ name }) => names.includes(name))) };
}

const closeWithinMs = 2_000;

function isSame(
  { runtime }: BuiltSource,
  config: SourceConfig,
  settings: Settings,
  document: DrainsDocument,
): boolean {
  const limits = toLedgerLimits(settings, document, config);
  return isDeepStrictEqual(runtime.config, config) && isDeepStrictEqual(runtime.ledger.limits, limits);
}

/** A pause outranks everything at the next batch, so it comes from the document in force. */
function withPauseNow(config: DrainConfig, documentNow: () => DrainsDocument): DrainConfig {
  return {
    ...config,
    get paused() {
      return config.paused || (documentNow().drains.find(({ name }) => name === config.name)?.paused ?? true);
    },
  };
}
