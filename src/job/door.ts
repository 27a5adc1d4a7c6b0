/**
 * The door of the job: all that people read of it and order of it. They see no other file of the job but its
 * contracts, and the pure `message` and `rules`.
 *
 *   open  ─► openCore, openDaemon                    the parts of a document, for one command or for good
 *   read  ─► the books of a core, Redis, the archive, an index, letters as listed
 *   order ─► recordIntent, then an act: workOrdered, drainInProcess, openJobQueue().requestSweep
 *
 * Each part is loaded when it is asked for, so a command loads what it needs and no more. What is pure and decides
 * is in door-pure.ts, for those who need it at once. What each promises stands with it.
 */
import type { Core } from "./compose/build-core.ts";

export type { Core } from "./compose/build-core.ts";
export type { BuiltSource, Decorate } from "./compose/build-source.ts";
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

const pagesLater = <Given extends readonly unknown[], Page>(
  load: () => Promise<(...given: Given) => AsyncGenerator<Page, void, undefined>>,
) =>
  async function* (...given: Given): AsyncGenerator<Page, void, undefined> {
    yield* (await load())(...given);
  };

const opening = () => import("./compose/open-core.ts");
const readers = () => import("./compose/open-readers.ts");
const archive = () => import("./compose/open-archive.ts");
const finding = () => import("./listing/find-one.ts");

// ── open ──────────────────────────────────────────────────────────────────────────────────────────────────

export const openCore = later(async () => (await opening()).openCore);
/** As `openCore`, for a process that goes on under other documents. */
export const openDaemon = later(async () => (await import("./daemon/open-daemon.ts")).openDaemon);
export const openJobQueue = later(async () => (await import("./compose/open-job-queue.ts")).openJobQueue);

// ── read: Redis ───────────────────────────────────────────────────────────────────────────────────────────

export const requireRedis = later(async () => (await opening()).requireRedis);
export const openLedger = later(async () => (await opening()).openLedger);
export const readFitness = later(async () => (await import("./compose/redis-as-seen.ts")).readFitness);
export const lookAtRedis = later(async () => (await import("./compose/redis-as-seen.ts")).lookAtRedis);
export const openAuditReader = later(async () => (await readers()).openAuditReader);
export const openIndexReader = later(async () => (await readers()).openIndexReader);
export const openQueueSeries = later(async () => (await readers()).openQueueSeries);
/** What notices remember, by source, and the incidents that their targets know. */
export const openNoticeBooks = async <Memory>(core: Pick<Core, "redis" | "sources">) =>
  (await readers()).openNoticeBooks<Memory>(core);
/** The key that signs what the console gives a browser. What is proposed becomes it if there is none. */
export const readConsoleKey = later(async () => (await readers()).readConsoleKey);

// ── read: the archive and indexes ─────────────────────────────────────────────────────────────────────────

export const openArchiveReader = later(async () => (await archive()).openArchiveReader);
export const lookAtVolume = later(async () => (await archive()).lookAtVolume);
export const openIndexClient = later(
  async () => (await import("./compose/build-index-readings.ts")).createReadIndex,
);

// ── read: letters ─────────────────────────────────────────────────────────────────────────────────────────

export const findRecord = later(async () => (await finding()).findRecord);
export const findNear = later(async () => (await finding()).findNear);
export const findWithOneCall = later(async () => (await finding()).findWithOneCall);
export const findOfKind = later(async () => (await finding()).findOfKind);
export const listOne = later(async () => (await finding()).listOne);
/** A page holds its memory until the next one is asked for. */
export const listToEnd = pagesLater(async () => (await import("./listing/list-to-end.ts")).listToEnd);
export const findComeBacks = later(async () => (await import("./lanes/come-backs-in.ts")).findComeBacks);
export const freezeRange = later(async () => (await import("./pass/freeze-range.ts")).freezeRange);
export const lineageOf = later(async () => (await import("./page/look-up.ts")).lineageOf);
/** Reads all that a drain selects and decides each letter as a pass would. Changes nothing. */
export const survey = pagesLater(async () => (await import("./page/survey.ts")).survey);
export const withNewer = later(async () => (await import("./page/newest.ts")).withNewer);

// ── order ─────────────────────────────────────────────────────────────────────────────────────────────────

export const runListingChecks = later(
  async () => (await import("./lanes/listing-checks.ts")).runListingChecks,
);
/** Works a page as a pass does, and counts what was done. Acts only on what `accepts` lets through. */
export const workOrdered = later(async () => (await import("./failures/count-acts.ts")).workCounted);
export const sendCopies = later(async () => (await import("./page/send-copies.ts")).sendCopies);
export const drainInProcess = later(async () => (await import("./pass/drain-in-process.ts")).drainInProcess);
