import { auditLimits } from "../store/audit/limits.ts";
import { mergeReaders } from "../store/audit/merge-readers.ts";
import { createRedisAudit } from "../store/audit/redis-audit.ts";
import { createObservedAudit } from "../store/audit/observed-audit.ts";
import type { Audit, AuditReader, NewAuditEntry } from "../ports/audit.ts";
import type { SourceId } from "../ports/ids.ts";
import type { RedisConnection } from "../redis/connect.ts";
import type { Core } from "./build-core.ts";
import { replicaName } from "./system-world.ts";

/** The audit of one source. `tell` hears every entry: of an intent once it is written, of a fact also while it cannot be. */
export function buildAudit(
  redis: RedisConnection,
  source: SourceId,
  tell?: (entry: NewAuditEntry) => void,
): Audit {
  const audit = createRedisAudit(redis, source, auditLimits);
  return tell === undefined ? audit : createObservedAudit(audit, tell);
}

/** Reads the audits of all sources of the document as one. */
export function openAuditReader({ redis, sources }: Pick<Core, "redis" | "sources">): AuditReader {
  return mergeReaders([...sources.keys()].map((source) => createRedisAudit(redis, source, auditLimits)));
}

/** How a daemon signs its acts. */
export function daemonName(): string {
  return `daemon ${replicaName()}`;
}
