import { createRecordFailures } from "../../../src/job/failures/record-failures.ts";
import type { SourceBook } from "../../../src/job/contracts/source-book.ts";
import { once } from "node:events";
import type { DrainName, PassId } from "../../../src/job/contracts/ids.ts";
import type { DrainsDocument } from "../../../src/job/contracts/drains-document.ts";
import type { Clock } from "../../../src/job/contracts/clock.ts";
import type { CopyBook } from "../../../src/job/contracts/copy-book.ts";
import type { Capacity } from "../../../src/job/contracts/capacity.ts";
import type { FailureBook } from "../../../src/job/contracts/failures.ts";
import type { PassBook, Window } from "../../../src/job/contracts/passes.ts";
import { isRedriverError } from "../../../src/job/contracts/errors.ts";
import type { SourcePauseBook } from "../../../src/job/contracts/source-pauses.ts";
import { runListingChecks } from "../../../src/job/lanes/listing-checks.ts";
import { createLanes } from "../../../src/job/lanes/lanes.ts";
import { releaseParked } from "../../../src/people/operations/parked/release.ts";
import { createPoisonShare } from "../../../src/job/page/publish/batch-size-under-poison.ts";
import { RefusalsInARow } from "../../../src/job/page/publish/refusals-in-a-row.ts";
import { createPausingService } from "../../../src/job/source/pausing-service.ts";
import { openPass } from "../../../src/job/pass/open-pass.ts";
import { workWindow } from "../../../src/job/pass/work-window.ts";
import type { DrainRuntime, SourceRuntime } from "../../../src/job/runtime.ts";
import { createSourceHealth } from "../../../src/job/source/source-health.ts";
import { createSweepMemory, sweep } from "../../../src/job/sweep/sweep.ts";
import { createSweepRequest } from "../../../src/job/sweep/sweep-request.ts";
import { amplePageMemory } from "../ample-memory.ts";
import type { AtWorkMeter } from "../at-work.ts";
import { createTooLargeDates } from "../../../src/job/listing/too-large-records.ts";
import { createUnworkableRecords } from "../../../src/job/page/unworkable-records.ts";
import { createUnwrittenFacts } from "../../../src/job/sweep/unwritten-facts.ts";
import { anyItem } from "../item-checks.ts";
import { knobsOfPlans, type Task } from "./plan.ts";
import { archiveOf, auditOf, inTurns, lanesOf, ledgerOf, serviceOf, type Life, type World } from "./ports.ts";

/** What all workers of a run share, besides time, ledger and service. */
export interface Installation extends World {
  readonly document: DrainsDocument;
  readonly passes: PassBook;
  readonly failures: FailureBook;
  readonly book: SourceBook;
  readonly rests: SourcePauseBook;
  readonly copies: CopyBook;
  readonly capacity: Capacity;
  readonly atWork: AtWorkMeter;
  readonly identities: SourceRuntime["identities"];
}

/** One process: works what it is given, until it dies. */
export interface Worker {
  readonly isDead: () => boolean;
  /** Ends when the task has ended, or the worker. */
  work(task: Task): Promise<void>;
}

const passSettings = { overlapMs: 120_000, abandonAfterMs: 600_000 };

export function startWorker(installation: Installation, name: string, skewMs: number): Worker {
  const { turns, document } = installation;
  const death = new AbortController();
  const died = once(death.signal, "abort");
  const never = new Promise<never>(() => undefined);
  const isDead = (): boolean => death.signal.aborted;
  const life: Life = {
    name,
    async turn(label) {
      await turns.next(`${name} ${label}`);
      if (isDead()) await never;
    },
    die() {
      death.abort("died");
      return never;
    },
    isDead,
  };
  const source = toSource(installation, life, skewMs);
  const archive = archiveOf(installation, life);
  const drains = new Map(
    document.drains.map((config): [DrainName, DrainRuntime] => [
      config.name,
      {
        config,
        documentHash: document.hash,
        countingKey: "",
        source,
        archive,
        nearMs: config.beforeExpiry.withinMs,
        hasOthers: false,
      },
    ]),
  );
  const memory = createSweepMemory(source.clock);
  const { signal } = new AbortController();

  const pass = async (drain: DrainRuntime): Promise<void> => {
    const { passId, windows } = toWork(await openPass(drain, passSettings, signal));
    const { windowsAtOnce: places } = knobsOfPlans[installation.plan.atWork];
    const counted = installation.atWork.ofWorker();
    await workAll(windows, places, async ({ windowId }) => {
      const work = { passId, windowId, signal, stopping: signal, lastTry: true, places, hasStalled: true };
      return (await counted(() => workWindow(drain, work))).split;
    });
  };
  const release = async (): Promise<void> => {
    const { entries } = await source.ledger.parked(null, 1_000);
    await releaseParked(source, drains, entries, "the receiver is well");
  };
  const start = async (task: Task): Promise<void> => {
    // What the prober does once the service answers again.
    source.health.resume();
    switch (task.kind) {
      case "pass": {
        const drain = drains.get(task.drain as DrainName);
        if (drain !== undefined) await pass(drain);
        return;
      }
      case "sweep":
        if (installation.plan.lane !== null) await runListingChecks(source, signal);
        await sweep(source, drains, memory, signal);
        return;
      case "release":
        return release();
      case "delete-by-hand":
        installation.service.deleteByHand(task.letter);
    }
  };

  return {
    isDead,
    async work(task) {
      const done = start(task).catch((error: unknown) => {
        if (!isRedriverError(error) || error.disposition === "crash") throw error;
      });
      await Promise.race([done, died]);
    },
  };
}

type Opened = Awaited<ReturnType<typeof openPass>>;

/** As a tick does: also the windows of a pass that is open, which another worker may have in hands. */
function toWork(opened: Opened): { readonly passId: PassId; readonly windows: Opened["windows"] } {
  return { passId: opened.kind === "opened" ? opened.pass.passId : opened.passId, windows: opened.windows };
}

/**
 * Works windows, and those that they are split into, so many at once. Each is a job of its own: when all have
 * ended, it throws the first failure.
 */
async function workAll(
  windows: readonly Window[],
  places: number,
  work: (window: Window) => Promise<readonly Window[]>,
): Promise<void> {
  const left = [...windows];
  const failures: unknown[] = [];
  const running = new Set<Promise<void>>();
  const workOne = async (window: Window): Promise<void> => {
    try {
      left.push(...(await work(window)));
    } catch (error) {
      failures.push(error);
    }
  };
  while (left.length > 0 || running.size > 0) {
    for (const window of left.splice(0, places - running.size)) {
      const one = workOne(window).finally(() => running.delete(one));
      running.add(one);
    }
    await Promise.race(running);
  }
  if (failures.length > 0) throw failures[0];
}

/** All calls at once. */
const takeTurn = () => Promise.resolve(() => undefined);

const retry = () => Promise.reject(new Error("no rule of the model says via: service"));

function toSource(installation: Installation, life: Life, skewMs: number): SourceRuntime {
  const { plan, document, turns, identities, capacity } = installation;
  const [config] = document.sources;
  if (config === undefined) throw new Error("the document has a source");
  const knobs = knobsOfPlans[plan.atWork];
  const clock: Clock = { ...turns.clock, now: () => turns.clock.now() + skewMs };
  const events = { emit: () => undefined };
  const inOne = <Port extends object>(port: Port, operations: Parameters<typeof inTurns<Port>>[3]): Port =>
    inTurns(installation, life, port, operations);
  const { service, pauses } = createPausingService({
    source: config.id,
    service: { ...serviceOf(installation, life, skewMs), retry },
    takeTurn,
    book: inOne(installation.rests, ["ask"]),
    timeoutsMs: { list: 30_000, batch: 30_000, delete: 30_000 },
    clock,
    events,
  });
  const audit = auditOf(installation, life);
  const failures = installation.failures;
  const ledger = ledgerOf(installation, life);
  return {
    clock,
    events,
    identities,
    by: life.name,
    config,
    service,
    takeBatchTurn: takeTurn,
    serviceRetry: { isOn: () => false, retry },
    brake: {
      parallelism: () => undefined,
      paused: async () => [],
      pause: async () => null,
      held: async () => [],
      resume: async () => undefined,
    },
    deliveryWatch: { isOn: () => false, ask: async () => undefined },
    ledger,
    readAt: async () => (await ledger.now()).at,
    capacity,
    lanes: createLanes({
      source: config.id,
      book: lanesOf(installation, life),
      clock,
      events,
      passes: installation.passes,
      audit,
      by: life.name,
    }),
    guards: { standings: () => Promise.resolve([]), peek: () => Promise.resolve([]) },
    pausesOf: () => Promise.resolve([]),
    audit,
    copies: installation.copies,
    passes: inOne(installation.passes, ["takeWindow", "markWindow", "leaveWindow", "progress", "endWindow"]),
    book: installation.book,
    failures,
    recordFailures: createRecordFailures(failures, turns.clock.monotonic, () => 0),
    tooLarge: createTooLargeDates(turns.clock),
    memory: amplePageMemory(),
    newestOfPasses: new Map(),
    pagesInFlight: installation.atWork.pagesInFlight(knobs.pagesInFlight),
    windowSizes: knobs.windowSizes,
    health: createSourceHealth(config.id, clock, events, pauses),
    refusalsInARow: new RefusalsInARow(),
    poison: createPoisonShare(clock),
    unwritten: createUnwrittenFacts(),
    unworkable: createUnworkableRecords(),
    sweepRequest: createSweepRequest(),
    headerPrefix: "Upstash-",
    publish: { maxItems: plan.maxItems, maxBytes: 1_000_000 },
    checkItem: anyItem,
    lineageKeys: () => ["key"],
    bind: () => Promise.resolve(),
  };
}
