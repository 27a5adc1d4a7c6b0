import type { AuditReader } from "../ports/audit.ts";
import { auditLimits, createRedisAudit } from "../store/audit/redis-audit.ts";
import { mergeReaders } from "../store/audit/merge-readers.ts";
import type { Core } from "./build-core.ts";

export function openAuditReader({ redis, sources }: Pick<Core, "redis" | "sources">): AuditReader {
  return mergeReaders([...sources.keys()].map((source) => createRedisAudit(redis, source, auditLimits)));
}
