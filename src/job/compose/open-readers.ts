/** Readers of what Redis has, for a process that shows it. They call no service. */
import type { AuditReader } from "../contracts/audit.ts";
import type { StatisticsStore } from "../contracts/index-statistics.ts";
import type { SourceId } from "../contracts/ids.ts";
import type { NoticeBook } from "../contracts/notices.ts";
import type { QueueSeries } from "../contracts/queue-series.ts";
import { mergeReaders } from "../store/audit/merge-readers.ts";
import { auditLimits, createRedisAudit } from "../store/audit/redis-audit.ts";
import { readConsoleKey as readRedisConsoleKey } from "../store/console/redis-console-key.ts";
import { createRedisNoticeBook } from "../store/notices/redis-notice-book.ts";
import { createRedisIncidentBook } from "../store/notices/redis-incident-book.ts";
import { createRedisQueueSeries } from "../store/series/redis-queue-series.ts";
import { createRedisStatisticsStore } from "../store/statistics/redis-statistics-store.ts";
import type { Core } from "./build-core.ts";

type Asked = Pick<Core, "redis" | "sources">;

export function openAuditReader({ redis, sources }: Asked): AuditReader {
  return mergeReaders([...sources.keys()].map((source) => createRedisAudit(redis, source, auditLimits)));
}

export function openIndexReader({ redis }: Pick<Core, "redis">): Omit<StatisticsStore, "write"> {
  return createRedisStatisticsStore(redis);
}

export function openQueueSeries({ redis }: Pick<Core, "redis">): QueueSeries {
  return createRedisQueueSeries(redis);
}

export function openNoticeBooks<Memory>({ redis, sources }: Asked) {
  const toBook = (source: SourceId) => [source, createRedisNoticeBook<Memory>(redis, source)] as const;
  const books: ReadonlyMap<SourceId, NoticeBook<Memory>> = new Map([...sources.keys()].map(toBook));
  return { books, incidents: createRedisIncidentBook(redis) };
}

export function readConsoleKey({ redis }: Pick<Core, "redis">, proposed: string): Promise<string> {
  return readRedisConsoleKey(redis, proposed);
}
