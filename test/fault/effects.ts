/**
 * Which methods of the ports change something. Whoever adds a method to a port says here which it is, or this
 * does not compile; an `effect` has failpoints around it, and a recorded run has to reach them.
 */
import type { SourceBook } from "../../src/job/contracts/source-book.ts";
import type { Archive } from "../../src/job/contracts/archive.ts";
import type { CopyBook } from "../../src/job/contracts/copy-book.ts";
import type { Audit } from "../../src/job/contracts/audit.ts";
import type { FailureBook } from "../../src/job/contracts/failures.ts";
import type { GuardBook } from "../../src/job/contracts/guards.ts";
import type { LaneBook } from "../../src/job/contracts/lanes.ts";
import type { Ledger } from "../../src/job/contracts/ledger.ts";
import type { Capacity } from "../../src/job/contracts/capacity.ts";
import type { PassBook } from "../../src/job/contracts/passes.ts";
import type { WorkQueue } from "../../src/job/contracts/work-queue.ts";
import type { MessageService } from "../../src/job/contracts/service.ts";
import type { StatisticsStore } from "../../src/job/contracts/index-statistics.ts";
import type { Disk, DiskFile } from "../../src/job/archive/disk.ts";
import type { SourceRuntime } from "../../src/job/runtime.ts";

/** `lifecycle`: starts or ends the part itself, and nothing that a restart could find. */
export type MethodKind = "effect" | "read" | "lifecycle";

type MethodsOf<Port> = {
  readonly [
    Name in keyof Port as Port[Name] extends (...args: never[]) => unknown ? Name : never
  ]: MethodKind;
};

export interface Ports {
  readonly service: MessageService;
  readonly ledger: Ledger;
  readonly capacity: Capacity;
  readonly audit: Audit;
  readonly copies: CopyBook;
  readonly passes: PassBook;
  readonly book: SourceBook;
  readonly source: Pick<SourceRuntime, "bind">;
  readonly failures: FailureBook;
  readonly guardBook: GuardBook;
  readonly laneBook: LaneBook;
  readonly statistics: StatisticsStore;
  readonly archive: Archive;
  readonly disk: Disk;
  readonly diskFile: DiskFile;
  readonly queue: WorkQueue;
}
export type PortName = keyof Ports;

export const methods: { readonly [Name in PortName]: MethodsOf<Ports[Name]> } = {
  service: { list: "read", publish: "effect", remove: "effect", clockOffsetMs: "read" },
  ledger: {
    now: "read",
    // Renews lives and records that the letters were listed.
    look: "effect",
    peek: "read",
    // Renews lives.
    sentAs: "effect",
    begin: "effect",
    published: "effect",
    refused: "effect",
    archived: "effect",
    gone: "effect",
    deleteFailed: "effect",
    markUnlistedGone: "effect",
    park: "effect",
    release: "effect",
    parked: "read",
    unknownOutcomes: "read",
    pendingDeletes: "read",
    summary: "read",
    recordLoss: "effect",
  },
  capacity: {
    take: "effect",
    giveBack: "effect",
    learn: "effect",
    used: "read",
    failedAgain: "effect",
    learned: "read",
  },
  audit: { append: "effect", record: "effect" },
  // Asking renews what is known.
  copies: { missing: "effect", copied: "effect" },
  passes: {
    open: "effect",
    takeWindow: "effect",
    markWindow: "effect",
    leaveWindow: "effect",
    progress: "effect",
    endWindow: "effect",
    countActs: "effect",
    facts: "read",
    arrivals: "read",
    forceFull: "effect",
    listAgain: "effect",
  },
  failures: { meet: "effect", all: "read" },
  // A source binds through `source.bind`.
  book: {
    idOfAccount: "effect",
    knownBinding: "read",
    othersAt: "read",
    bind: "effect",
    datesMean: "read",
    learnDates: "effect",
    census: "read",
    recordCensus: "effect",
    countedSoFar: "read",
    tellSoFar: "effect",
  },
  source: { bind: "effect" },
  guardBook: { recall: "read", record: "effect" },
  laneBook: {
    ask: "effect",
    sent: "effect",
    giveBack: "effect",
    recordComeBacks: "effect",
    due: "effect",
    areWaiting: "read",
    checked: "effect",
    delivered: "effect",
    deliveredOf: "read",
    views: "read",
    viewsOf: "read",
    viewsIn: "read",
    busiest: "read",
    probeNow: "effect",
    reset: "effect",
  },
  statistics: { write: "effect", readAll: "read", readSeries: "read" },
  archive: { write: "effect", problem: "read", close: "lifecycle" },
  disk: {
    makeDirectory: "effect",
    create: "effect",
    syncDirectory: "effect",
    identity: "read",
    list: "read",
    remove: "effect",
    volume: "read",
  },
  diskFile: {
    write: "effect",
    sync: "effect",
    truncate: "effect",
    identity: "read",
    changedAt: "read",
    close: "lifecycle",
  },
  queue: {
    applySchedules: "effect",
    addTick: "effect",
    addSweep: "effect",
    addSweepOf: "effect",
    addWindows: "effect",
    addNotify: "effect",
    allow: "lifecycle",
    start: "lifecycle",
    lastProgressAt: "read",
    close: "lifecycle",
  },
};

/**
 * What a source is built of: a port with failpoints, or a part that changes nothing outside this process. Whoever adds
 * a part says here which it is, or this does not compile.
 */
export const sourceParts: { readonly [Key in keyof SourceRuntime]: PortName | "inside" } = {
  service: "service",
  ledger: "ledger",
  // Reads the ledger's time, or remembers it.
  readAt: "inside",
  capacity: "capacity",
  // Reads only.
  deliveryWatch: "inside",
  audit: "audit",
  copies: "copies",
  passes: "passes",
  failures: "failures",
  // Built anew over a book with failpoints.
  recordFailures: "failures",
  book: "book",
  bind: "source",
  // Built anew over books with failpoints.
  guards: "guardBook",
  lanes: "laneBook",
  // Reads a person's pauses.
  pausesOf: "inside",
  clock: "inside",
  poison: "inside",
  refusalsInARow: "inside",
  unworkable: "inside",
  identities: "inside",
  events: "inside",
  by: "inside",
  config: "inside",
  health: "inside",
  // Writes through the ledger it is given.
  unwritten: "inside",
  sweepRequest: "inside",
  tooLarge: "inside",
  memory: "inside",
  pagesInFlight: "inside",
  newestOfPasses: "inside",
  windowSizes: "inside",
  headerPrefix: "inside",
  publish: "inside",
  lineageKeys: "inside",
  checkItem: "inside",
  takeBatchTurn: "inside",
  // See ServiceRetrier.
  serviceRetry: "inside",
  // A person's, beside the guarantee.
  brake: "inside",
};

/** Effects that a daemon never has in the scenario of the matrix, each with its reason. */
export const notReached: Readonly<Record<string, string>> = {
  "book.idOfAccount": "inside source.bind, which has the failpoints",
  "book.bind": "inside source.bind, which has the failpoints",
  "ledger.sentAs": "no source of the scenario has serviceRetry; the trial `via-service` has",
  "ledger.recordLoss": "Redis loses nothing in this scenario; the soak flushes it",
  "laneBook.probeNow": "a person's act, written by a command in one call",
  "laneBook.reset": "a person's act, written by a command in one call",
  "laneBook.delivered": "no source of the scenario has a callback address, so nobody reports a delivery",
  "passes.markWindow": "the scenario kills fewer workers of one window; the trials kill forty",
  "queue.addNotify": "the document of the scenario notifies nobody",
  "disk.remove": "removes what is older than `keep`, at least 3 days",
  "diskFile.truncate": "cuts a member back that could not be written: a full disk, not a crash",
};

/**
 * Interfaces of src/job/contracts whose effects are no step of the pipeline, the sweep or the archive, each with its
 * reason.
 */
export const otherPorts: Readonly<Record<string, string>> = {
  PauseBook: "a person's word, written by a command in one call",
  PlanBook: "a person's plan: one that is lost is made anew, and what it did is in the ledger and the audit",
  FailureMarks: "a person's word, written by a command in one call",
  Replicas: "presence, forgotten after 60 s; what is put back for another document is listed again",
  CallShares: "how many calls are made: losing it makes each replica keep its last part",
  SourcePauseBook: "when a source is paused: losing it costs one more 429 or failure",
  NoticeBook: "what people are told: losing it tells them again, and no message depends on it",
  QueueSeries: "what a chart shows of a minute: a lost sample is a gap",
  IncidentBook: "when people get their next message: losing it costs one message sooner",
  Guards: "decides over the guard book and the pass book, which have the failpoints",
  ArchiveReader: "reads",
  ArchivedLetters: "reads",
  AuditReader: "reads",
  StatisticsReader: "reads",
  ServiceLoadReader: "reads",
  FlowKeySteerer: "a person's word: pausing or resuming a key twice changes nothing",
  ServiceRetrier: "no source of the matrix has it; the trial `via-service` kills daemons beside it",
  Clock: "of this process",
  Identities: "of this process",
  Events: "tells this process's own listeners",
  JobContext: "of this process",
};

/** `ledger.begin` and so on: everything that changes something. */
export function effectNames(): readonly string[] {
  return Object.entries(methods).flatMap(([port, kinds]) =>
    Object.entries(kinds).flatMap(([method, kind]) => (kind === "effect" ? [`${port}.${method}`] : [])),
  );
}
