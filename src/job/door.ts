/**
 * The door of the job: all that people read of it and order of it. They see no other file of the job but its
 * contracts, and the pure `message` and `rules`.
 *
 *   open  ─► openCore, openDaemon                    the parts of a document, for one command or for good
 *   read  ─► the books of a core, Redis, the archive, an index, letters as listed
 *   order ─► recordIntent, then an act: workOrdered, drainInProcess, openJobQueue().requestSweep
 *
 * Each part is loaded when it is asked for, so a command loads what it needs and no more. What is pure and decides
 * is in door-pure.ts, for those who need it at once.
 */
import type { Core } from "./compose/build-core.ts";
import type { IncidentBook, NoticeBook } from "./contracts/notices.ts";
import type { SourceId } from "./contracts/ids.ts";
import type { ListingSignals } from "./listing/list-page.ts";
import type { ListingPage, ListingRange } from "./listing/list-to-end.ts";
import type { SurveyPage, SurveyRange } from "./page/survey.ts";
import type { DrainRuntime, SourceRuntime } from "./runtime.ts";

export type { Core } from "./compose/build-core.ts";
export type { BuiltSource } from "./compose/build-source.ts";
export type { CoreLease, LiveCore } from "./compose/live-core.ts";
export type { OpenParts } from "./compose/open-core.ts";
export type { NoticeJobs } from "./daemon/people-beside.ts";
export type { ListingSignals } from "./listing/list-page.ts";
export type { DecidingRuntime } from "./page/decide-letter.ts";
export type { Item, Letter } from "./page/letter.ts";
export type { PageOutcome } from "./page/page-report.ts";
export type { SurveyPage, SurveyRange } from "./page/survey.ts";
export type { FrozenRange } from "./pass/freeze-range.ts";
export type { DrainRuntime, SourceRuntime } from "./runtime.ts";
export type { ActOf } from "./write-audit.ts";

/** In the audit first: each act of a person names what it is about to do, and why. */
export { ofDrain, recordIntent } from "./write-audit.ts";

const later =
  <Given extends readonly unknown[], Answer>(
    load: () => Promise<(...given: Given) => Answer | Promise<Answer>>,
  ) =>
  async (...given: Given): Promise<Answer> =>
    (await load())(...given);

// ── open ──────────────────────────────────────────────────────────────────────────────────────────────────

/** Connects to Redis in the background and builds the document's sources and drains. Calls no service yet. */
export const openCore = later(async () => (await import("./compose/open-core.ts")).openCore);
/** The same for a process that goes on under other documents, with its queue and its readings of indexes. */
export const openDaemon = later(async () => (await import("./daemon/open-daemon.ts")).openDaemon);
/** The jobs of all replicas. Connected at the first call, and closed with the teardown. */
export const openJobQueue = later(async () => (await import("./compose/open-job-queue.ts")).openJobQueue);

// ── read: Redis ───────────────────────────────────────────────────────────────────────────────────────────

/** Redis must answer, be fit for a ledger, and give its user every right. Throws with what is wrong. */
export const requireRedis = later(async () => (await import("./compose/open-core.ts")).requireRedis);
/** For what only lists and decides: a core without a ledger if nobody has named a Redis and none answers. */
export const openLedger = later(async () => (await import("./compose/open-core.ts")).openLedger);
/** Whether it is fit, and how full. */
export const readFitness = later(async () => (await import("./compose/redis-as-seen.ts")).readFitness);
/** What is wrong with it, if it is durable, and its clock. Throws with the failing part if it does not answer. */
export const lookAtRedis = later(async () => (await import("./compose/redis-as-seen.ts")).lookAtRedis);
/** The audit of all sources of a core. */
export const openAuditReader = later(async () => (await import("./compose/open-readers.ts")).openAuditReader);
/** The last readings of indexes. */
export const openIndexReader = later(async () => (await import("./compose/open-readers.ts")).openIndexReader);
/** The queues over time. */
export const openQueueSeries = later(async () => (await import("./compose/open-readers.ts")).openQueueSeries);
/** What notices remember, by source, and the incidents that their targets know. */
export async function openNoticeBooks<Memory>(core: Pick<Core, "redis" | "sources">): Promise<{
  readonly books: ReadonlyMap<SourceId, NoticeBook<Memory>>;
  readonly incidents: IncidentBook;
}> {
  return (await import("./compose/open-readers.ts")).openNoticeBooks<Memory>(core);
}
/** The key that signs what the console gives a browser. What is proposed becomes it if there is none. */
export const readConsoleKey = later(async () => (await import("./compose/open-readers.ts")).readConsoleKey);

// ── read: the archive and indexes ─────────────────────────────────────────────────────────────────────────

export const openArchiveReader = later(
  async () => (await import("./compose/open-archive.ts")).openArchiveReader,
);
/** The state of the archive's volume from here; null: it cannot be told. */
export const lookAtVolume = later(async () => (await import("./compose/open-archive.ts")).lookAtVolume);
/** A reader of indexes as they are now. */
export const openIndexClient = later(
  async () => (await import("./compose/build-index-readings.ts")).createReadIndex,
);

// ── read: letters ─────────────────────────────────────────────────────────────────────────────────────────

/** Lists a selection until it shows this dead letter; null when it ends without it. */
export const findRecord = later(async () => (await import("./listing/find-one.ts")).findRecord);
/** Lists only the millisecond of its id: null proves absence only if the service's dates mean entry. */
export const findNear = later(async () => (await import("./listing/find-one.ts")).findNear);
/** Asks for the millisecond of its id with one call. Null proves nothing. */
export const findWithOneCall = later(async () => (await import("./listing/find-one.ts")).findWithOneCall);
/** One page of a query: its first record of a kind of failure. Null: it has none. */
export const findOfKind = later(async () => (await import("./listing/find-one.ts")).findOfKind);
/** Lists one record, to see if this token may. Throws as the service does. */
export const listOne = later(async () => (await import("./listing/find-one.ts")).listOne);

/** All that a query selects, page by page. A page holds its memory until the next one is asked for. */
export async function* listToEnd(
  source: SourceRuntime,
  query: ListingRange,
  signals: ListingSignals,
): AsyncGenerator<ListingPage, void, undefined> {
  yield* (await import("./listing/list-to-end.ts")).listToEnd(source, query, signals);
}

/** Which messages failed again, as far as what entered the queue since a time shows it. Their lanes learn of it. */
export const findComeBacks = later(async () => (await import("./lanes/come-backs-in.ts")).findComeBacks);

/** The whole range of a drain, up to a horizon that is fixed now. May ask the service for its clock. */
export const freezeRange = later(async () => (await import("./pass/freeze-range.ts")).freezeRange);

/** As which redrive the service's own retry has published the message of a record; null: nobody knows of one. */
export const lineageOf = later(async () => (await import("./page/look-up.ts")).lineageOf);

/** Reads all that a drain selects and decides each letter as a pass would. Changes nothing. */
export async function* survey(
  drain: DrainRuntime,
  range: SurveyRange,
  signals: ListingSignals,
): AsyncGenerator<SurveyPage, void, undefined> {
  yield* (await import("./page/survey.ts")).survey(drain, range, signals);
}

/** The drain with what it must know of newer letters in a range, before it decides about them; lists them, if a rule asks. */
export const withNewer = later(async () => (await import("./page/newest.ts")).withNewer);

// ── order ─────────────────────────────────────────────────────────────────────────────────────────────────

/** Lists what proves the silence of watched steps. Without it no step of a lane is judged. */
export const runListingChecks = later(
  async () => (await import("./lanes/listing-checks.ts")).runListingChecks,
);

/** Works a page as a pass does, and counts what was done. Acts only on what `accepts` lets through. */
export const workOrdered = later(async () => (await import("./failures/count-acts.ts")).workCounted);

/** Copies of due letters to a test target. The dead letters stay, and nothing counts them as sent again. */
export const sendCopies = later(async () => (await import("./page/send-copies.ts")).sendCopies);

/** Passes in this process, until no lane holds messages that only wait for a watch to end. */
export const drainInProcess = later(async () => (await import("./pass/drain-in-process.ts")).drainInProcess);
