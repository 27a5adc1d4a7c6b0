import type { Settings } from "../config/settings/settings.ts";
import type { DrainsDocument } from "../ports/drains.ts";
import type { DrainName, SourceId } from "../ports/ids.ts";
import type { RedisConnection } from "../redis/connect.ts";
import type { DrainRuntime, World } from "../redrive/runtime.ts";
import { buildSource, type BuiltSource } from "./build-source.ts";
import type { ReadSecret } from "./secrets.ts";
import type { Teardown } from "./teardown.ts";

export interface Core {
  readonly settings: Settings;
  readonly document: DrainsDocument;
  readonly redis: RedisConnection;
  readonly sources: ReadonlyMap<SourceId, BuiltSource>;
  readonly drains: ReadonlyMap<DrainName, DrainRuntime>;
}

export interface CoreParts {
  readonly settings: Settings;
  readonly document: DrainsDocument;
  readonly redis: RedisConnection;
  readonly world: World;
  readonly readSecret: ReadSecret;
  readonly lineage: { readonly key: string | undefined; readonly oldKeys: readonly string[] };
  readonly teardown: Teardown;
}

/** Builds every source and drain of a document. Throws `settings-invalid` with what is missing. */
export function buildCore(parts: CoreParts): Core {
  const { settings, document, redis } = parts;
  const sources = new Map<SourceId, BuiltSource>();
  for (const config of document.sources) {
    sources.set(config.id, buildSource(config, parts));
  }
  const drains = new Map<DrainName, DrainRuntime>();
  for (const config of document.drains) {
    const source = sources.get(config.source.id);
    if (source === undefined) continue;
    drains.set(config.name, { config, documentHash: document.hash, source: source.runtime });
  }
  return { settings, document, redis, sources, drains };
}
