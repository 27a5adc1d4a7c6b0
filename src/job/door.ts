/**
 * The door of the job: all that people read of it and order of it. They see no other file of the job but its
 * contracts, and the pure `message` and `rules`.
 *
 *   open  ─► openCore, openDaemon                    the parts of a document, for one command or for good
 *   read  ─► the ledger, the audit and the books of a core, Redis, the archive, an index, letters as listed
 *   order ─► recordIntent, then an act: workOrdered, drainInProcess, JobQueue.requestSweep
 *
 * Each part is loaded when it is asked for, so a command loads what it needs and no more. What is pure and decides is in
 * door-pure.ts, for those who need it at once.
 */
import type { LedgerLimits } from "./contracts/ledger-limits.ts";
import type { ArchiveReader } from "./contracts/archive.ts";
import type { AuditReader } from "./contracts/audit.ts";
import type { ArchiveConfig, IndexConfig } from "./contracts/drains-document.ts";
import type { SourceId } from "./contracts/ids.ts";
import type { IndexStatistics, StatisticsStore } from "./contracts/index-statistics.ts";
import type { NoticeBook, NoticeRate } from "./contracts/notices.ts";
import type { ParkedPages } from "./contracts/parked-pages.ts";
import type { QueueFacts } from "./contracts/queue-facts.ts";
import type { MessageService } from "./contracts/service.ts";
import type { Tally } from "./contracts/tally.ts";
import type { ReadSecret } from "../config/read-secret.ts";
import type { Settings } from "../config/settings/settings.ts";
import type { SeenVolume } from "./archive/judge-volume.ts";
import type { Core } from "./compose/build-core.ts";
import type { OpenParts } from "./compose/open-core.ts";
import type { RedisLook } from "./compose/redis-as-seen.ts";
import type { Daemon, DaemonSetup } from "./daemon/open-daemon.ts";
import type { RecordSearch } from "./listing/find-one.ts";
import type { ListingSignals } from "./listing/list-page.ts";
import type { ListingPage, ListingRange } from "./listing/list-to-end.ts";
import type { DlqId, RawRecord } from "./message/dead-letter.ts";
import type { FailureKind } from "./message/failure-kind.ts";
import type { Page } from "./page/letter.ts";
import type { PageOutcome } from "./page/page-report.ts";
import type { SurveyPage, SurveyRange } from "./page/survey.ts";
import type { PageWork } from "./page/work-page.ts";
import type { InProcessSettings, PassInProcess } from "./pass/drain-in-process.ts";
import type { FrozenRange } from "./pass/freeze-range.ts";
import type { JobQueue } from "./compose/open-job-queue.ts";
import type { DrainRuntime, SourceRuntime } from "./runtime.ts";

export type { Core } from "./compose/build-core.ts";
export type { BuiltSource } from "./compose/build-source.ts";
export type { CoreLease, LiveCore } from "./compose/live-core.ts";
export type { OpenParts } from "./compose/open-core.ts";
export type { NoticeJobs } from "./daemon/people-beside.ts";
export type { ListingSignals } from "./listing/list-page.ts";
export type { RecordSearch } from "./listing/find-one.ts";
export type { DecidingRuntime } from "./page/decide-letter.ts";
export type { Item, Letter } from "./page/letter.ts";
export type { PageOutcome } from "./page/page-report.ts";
export type { SurveyPage, SurveyRange } from "./page/survey.ts";
export type { FrozenRange } from "./pass/freeze-range.ts";
export type { JobQueue } from "./compose/open-job-queue.ts";
export type { DrainRuntime, SourceRuntime } from "./runtime.ts";
export type { ActOf } from "./write-audit.ts";

/** In the audit first: each act of a person names what it is about to do, and why. */
export { ofDrain, recordIntent } from "./write-audit.ts";

// ── open ──────────────────────────────────────────────────────────────────────────────────────────────────

/** Connects to Redis in the background and builds the document's sources and drains. Calls no service yet. */
export async function openCore(parts: OpenParts): Promise<Core> {
  return (await import("./compose/open-core.ts")).openCore(parts);
}

/** The same for a process that goes on under other documents, with its queue and its readings of indexes. */
export async function openDaemon(setup: DaemonSetup): Promise<Daemon> {
  return (await import("./daemon/open-daemon.ts")).openDaemon(setup);
}

/** The jobs of all replicas. Connected at the first call, and closed with the teardown. */
export async function openJobQueue(parts: Pick<OpenParts, "settings" | "teardown">): Promise<JobQueue> {
  return (await import("./compose/open-job-queue.ts")).openJobQueue(parts);
}

// ── read: Redis ───────────────────────────────────────────────────────────────────────────────────────────

/** Redis must answer, be fit for a ledger, and give its user every right. Throws with what is wrong. */
export async function requireRedis({ redis }: Pick<Core, "redis">): Promise<void> {
  await (await import("./compose/open-core.ts")).requireRedis(redis);
}

export async function readFitness(
  core: Pick<Core, "redis" | "sources">,
): Promise<Pick<QueueFacts, "redisFit" | "redisMemoryShare">> {
  return (await import("./compose/redis-as-seen.ts")).readFitness(core);
}

/** Throws with the failing part if Redis does not answer. */
export async function lookAtRedis(core: Pick<Core, "redis" | "sources">): Promise<RedisLook> {
  return (await import("./compose/redis-as-seen.ts")).lookAtRedis(core);
}

/** The audit of all sources of a core. */
export async function openAuditReader(core: Pick<Core, "redis" | "sources">): Promise<AuditReader> {
  return (await import("./compose/open-readers.ts")).openAuditReader(core);
}

/** What is parked, in pages. */
export async function openParkedPages(
  core: Pick<Core, "redis">,
  source: SourceId,
  limits: LedgerLimits,
): Promise<ParkedPages> {
  return (await import("./compose/open-readers.ts")).openParkedPages(core, source, limits);
}

/** The last readings of indexes. */
export async function openIndexReader(
  core: Pick<Core, "redis">,
): Promise<Pick<StatisticsStore, "readAll" | "readSeries">> {
  return (await import("./compose/open-readers.ts")).openIndexReader(core);
}

/** What notices remember, by source, and the rate of their messages. */
export async function openNoticeBooks<Memory>(core: Pick<Core, "redis" | "sources">): Promise<{
  readonly books: ReadonlyMap<SourceId, NoticeBook<Memory>>;
  readonly rate: NoticeRate;
}> {
  return (await import("./compose/open-readers.ts")).openNoticeBooks<Memory>(core);
}

/** The key that signs what the console gives a browser. `proposed` becomes it if there is none. */
export async function readConsoleKey({ redis }: Pick<Core, "redis">, proposed: string): Promise<string> {
  return (await import("./store/console/redis-console-key.ts")).readConsoleKey(redis, proposed);
}

// ── read: the archive and indexes ─────────────────────────────────────────────────────────────────────────

export async function openArchiveReader(dir: string): Promise<ArchiveReader> {
  return (await import("./compose/open-archive.ts")).openArchiveReader(dir);
}

/** The state of the archive's volume from here; null: it cannot be told. */
export async function lookAtVolume(config: ArchiveConfig): Promise<SeenVolume | null> {
  return (await import("./compose/open-archive.ts")).lookAtVolume(config);
}

/** Reads one index now. The answered function throws `settings-invalid` if its credentials are missing. */
export async function openIndexClient(
  settings: Settings,
  readSecret: ReadSecret,
): Promise<(index: IndexConfig, signal: AbortSignal) => Promise<IndexStatistics>> {
  return (await import("./compose/build-index-readings.ts")).createReadIndex(settings, readSecret);
}

// ── read: letters ─────────────────────────────────────────────────────────────────────────────────────────

/** Lists a selection until it shows this dead letter; null when it ends without it. Throws as a listing does. */
export async function findRecord(dlqId: DlqId, search: RecordSearch): Promise<RawRecord | null> {
  return (await import("./listing/find-one.ts")).findRecord(dlqId, search);
}

/** Lists only the millisecond of its id: null proves absence only if the service's dates mean entry. */
export async function findNear(dlqId: DlqId, search: RecordSearch): Promise<RawRecord | null> {
  return (await import("./listing/find-one.ts")).findNear(dlqId, search);
}

/** Asks for the millisecond of its id with one call. Null proves nothing. */
export async function findWithOneCall(
  dlqId: DlqId,
  search: Pick<RecordSearch, "source" | "signal">,
): Promise<RawRecord | null> {
  return (await import("./listing/find-one.ts")).findWithOneCall(dlqId, search);
}

/** One page of the query: its first record of a kind of failure. Null: it has none. */
export async function findOfKind(
  source: SourceRuntime,
  query: ListingRange,
  isOfKind: (kind: FailureKind) => boolean,
  signal: AbortSignal,
): Promise<RawRecord | null> {
  return (await import("./listing/find-one.ts")).findOfKind(source, query, isOfKind, signal);
}

/** Lists one record, to see if this token may. Throws as the service does. */
export async function listOne(service: Pick<MessageService, "list">, signal: AbortSignal): Promise<void> {
  await (await import("./listing/find-one.ts")).listOne(service, signal);
}

/** All that a query selects, page by page. A page holds its memory until the next one is asked for. */
export async function* listToEnd(
  source: SourceRuntime,
  query: ListingRange,
  signals: ListingSignals,
): AsyncGenerator<ListingPage, void, undefined> {
  yield* (await import("./listing/list-to-end.ts")).listToEnd(source, query, signals);
}

/** The whole range of a drain, up to a horizon that is fixed now. May ask the service for its clock. */
export async function freezeRange(drain: DrainRuntime, signal: AbortSignal): Promise<FrozenRange> {
  return (await import("./pass/freeze-range.ts")).freezeRange(drain, signal);
}

/** Reads all that a drain selects and decides each letter as a pass would. Changes nothing. */
export async function* survey(
  drain: DrainRuntime,
  range: SurveyRange,
  signals: ListingSignals,
): AsyncGenerator<SurveyPage, void, undefined> {
  yield* (await import("./page/survey.ts")).survey(drain, range, signals);
}

// ── order ─────────────────────────────────────────────────────────────────────────────────────────────────

/** Lists what proves the silence of watched steps. Without it no step of a lane is judged. */
export async function runListingChecks(source: SourceRuntime, signal: AbortSignal): Promise<void> {
  await (await import("./lanes/listing-checks.ts")).runListingChecks(source, signal);
}

/** Works a page as a pass does, and counts what was done. Acts only on what `accepts` lets through. */
export async function workOrdered(
  drain: DrainRuntime,
  page: Page,
  signal: AbortSignal,
  work: Pick<PageWork, "accepts" | "stopping">,
): Promise<PageOutcome> {
  const [{ workPageApart }, { countActs }] = await Promise.all([
    import("./page/work-page-apart.ts"),
    import("./failures/count-acts.ts"),
  ]);
  const outcome = await workPageApart(drain, page, signal, work);
  await countActs(drain, outcome.failures);
  return outcome;
}

/** Passes in this process, until no lane holds messages that only wait for a watch to end. */
export async function drainInProcess(
  drain: DrainRuntime,
  settings: InProcessSettings,
  signals: ListingSignals,
  onProgress: (tally: Tally) => void,
  onWait: (records: number, waitMs: number) => void,
): Promise<PassInProcess> {
  const { drainInProcess: work } = await import("./pass/drain-in-process.ts");
  return work(drain, settings, signals, onProgress, onWait);
}
