import { createSharedLetters, toCountingKey } from "../failures/shared-letters.ts";
import { isDeepStrictEqual } from "node:util";
import { toLedgerLimits } from "../../config/settings/ledger-limits.ts";
import type { Settings } from "../../config/settings/settings.ts";
import type { Archive } from "../contracts/archive.ts";
import type {
  ArchiveConfig,
  DrainConfig,
  DrainsDocument,
  SourceConfig,
} from "../contracts/drains-document.ts";
import type { Events } from "../contracts/events.ts";
import type { DrainName, SourceId } from "../contracts/ids.ts";
import type { StatisticsStore } from "../contracts/index-statistics.ts";
import type { DrainRuntime } from "../runtime.ts";
import { createRedisStatisticsStore } from "../store/statistics/redis-statistics-store.ts";
import { lookAtVolume, openArchive } from "./open-archive.ts";
import { buildSource, type BuiltSource, type ProcessParts } from "./build-source.ts";
import { buildIndexReadings } from "./build-index-readings.ts";
import { createTeardown } from "../../teardown.ts";

export interface Core extends Pick<ProcessParts, "settings" | "document" | "redis" | "replicas" | "plans"> {
  /** `none`: there is no Redis, so what it would hold is empty. */
  readonly ledger: "there" | "none";
  readonly sources: ReadonlyMap<SourceId, BuiltSource>;
  readonly drains: ReadonlyMap<DrainName, DrainRuntime>;
  /** This process's part of the archive; null if the document names none. */
  readonly archive: Archive | null;
}

/**
 * Throws `settings-invalid` with what is missing, and leaves nothing behind then. Sources that are the same in the core
 * before are taken over: their connections, health and clock. `documentNow`: a drain that the document in force pauses
 * or lacks begins nothing more.
 */
export function buildCore(
  parts: ProcessParts,
  document: DrainsDocument,
  before: Core | null = null,
  documentNow = (): DrainsDocument => document,
): Core {
  const { settings, redis, replicas, plans } = parts;
  const sources = buildSources(parts, document, documentNow, before);
  const archive = buildArchive(parts, document, before);
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
      nearMs: Math.max(...ofSource.map(({ beforeExpiry }) => beforeExpiry.withinMs)),
      hasOthers: ofSource.length > 1,
      ...(shared === null ? {} : { shared }),
    });
  }
  return { settings, document, redis, ledger: "there", replicas, plans, sources, drains, archive };
}

/** The archive of the core before is taken over if it is the same: each process has one open file. */
function buildArchive(
  { redis, events, teardown, decorate }: ProcessParts,
  { archive: config, sources }: DrainsDocument,
  before: Core | null,
): Archive | null {
  if (config === undefined) return null;
  if (before?.archive && isDeepStrictEqual(before.document.archive, config)) return before.archive;
  const built = openArchive(config, redis, ({ message }) => {
    for (const { id } of sources) events.emit({ type: "archive:failed", source: id, message });
  });
  const archive = decorate?.archive?.(built, config) ?? built;
  teardown.add("archive", () => archive.close());
  void reportVolume(config, events);
  return archive;
}

async function reportVolume(config: ArchiveConfig, events: Events): Promise<void> {
  const { verdict, complaint } = (await lookAtVolume(config)) ?? {};
  if (verdict !== undefined && complaint !== undefined) {
    events.emit({ type: "archive:volume-seen", verdict, complaint });
  }
}

function buildSources(
  parts: ProcessParts,
  document: DrainsDocument,
  documentNow: () => DrainsDocument,
  before: Core | null,
): ReadonlyMap<SourceId, BuiltSource> {
  const sources = new Map<SourceId, BuiltSource>();
  const readings = buildReadings(parts, document);
  const built = createTeardown();
  // Known copies belong to one archive.
  const isSameArchive = before?.document.archive?.dir === document.archive?.dir;
  const ofSource = { ...parts, document, documentNow, readings, teardown: built };
  try {
    for (const config of document.sources) {
      const known = before?.sources.get(config.id);
      const isKept = known !== undefined && isSameArchive && isSame(known, config, parts.settings, document);
      sources.set(config.id, isKept ? known : buildSource(config, ofSource));
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
  { redis, readsIndexes, readSecret, settings, events }: ProcessParts,
  { indexes }: DrainsDocument,
): Pick<StatisticsStore, "readAll"> {
  if (readsIndexes !== true) return createRedisStatisticsStore(redis);
  const readings = buildIndexReadings(redis, settings, readSecret, events);
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
