/**
 * One listed page of dead letters, in the order that runs:
 *
 *   replay unwritten facts ─► parse ─► look up ─► decide and prepare ─► copy what expires soon
 *     ─► (plan mode ends here) ─► guards, beside come-backs to their lanes ─► lanes ─► unpark, park
 *     ─► settle again what was published before ─► drop ─► capacity ─► per batch: republish, and
 *     per 50 published: settle (in a pass in the background) ─► once: copy candidates that are left
 *
 * The order inside an act is the delivery guarantee: begin ─► audit ─► POST or archive ─► record ─► delete.
 */
import type { DlqId, RawRecord } from "../../message/dead-letter.ts";
import { grantedForMs } from "../../ports/ledger-limits.ts";
import type { HoldReason } from "../../rules/decision.ts";
import { admitToLanes, giveBackUnpublished, isNewlyExhausted } from "../lanes/admit.ts";
import { toLaneComeBack } from "../lanes/come-back-from-record.ts";
import { recordIntent, ofDrain } from "../write-audit.ts";
import { serviceNow, type DrainRuntime } from "../runtime.ts";
import { expiresBy } from "../listing/record-dates.ts";
import { leavesGrantUnused, withCapacity } from "./capacity.ts";
import { collect } from "./collect.ts";
import { decideOne, type DecidedOne } from "./decide-and-prepare.ts";
import { drop } from "./drop.ts";
import { holdByGuards } from "./guards.ts";
import { keepCopies } from "./keep-copies.ts";
import { lookUp } from "./look-up.ts";
import { parkRecords } from "./park.ts";
import {
  idsOf,
  isReconciling,
  type Candidate,
  type DecidedRecord,
  type KnownRecord,
  type Page,
} from "./records.ts";
import { held, type DropResult, type PublishResult } from "./results.ts";
import { republish } from "./republish.ts";
import { idsPerDelete, settle } from "./settle.ts";
import { toBatches } from "./publish/batches.ts";
import { createPageReport, type PageOutcome } from "./page-report.ts";
import type { BackgroundSettle } from "./settle-in-background.ts";
import type { WaitBudget } from "../source/wait-budget.ts";

/**
 * How long the deletes of one page wait for pauses that the service asks for: as long as a page waits for a
 * host's turn (capacity.ts). Under a limit of a few calls per second that is some resets. Longer pauses are
 * left to the sweep.
 */
const settleWaitsMs = 15_000;

/** If a page leaves deletes undone, a sweep comes this soon, so that the settle gate need not close. */
const sweptWithinMs = 1_000;

/** This few records alone in their window may all be refused without a sign that the service refuses all. */
const fewRecords = 50;

/** The surroundings of a page's work. */
export interface PageWork {
  /** Ends waits for capacity. Begun work is finished. */
  readonly stopping?: AbortSignal;
  /** Runs and counts the deletes of published records; absent: the page waits for them. */
  readonly backgroundSettle?: BackgroundSettle;
  /** Called with each decision before any act. A record that it refuses is left as it is, uncounted. */
  readonly accepts?: (one: DecidedOne) => boolean;
}

/** Works one page. Throws RedriverErrors of the ledger; failures of the service are in the outcome. */
export async function workPage(
  drain: DrainRuntime,
  page: Page,
  signal: AbortSignal,
  { stopping = signal, backgroundSettle, accepts }: PageWork = {},
): Promise<PageOutcome> {
  const { source } = drain;
  const stop = AbortSignal.any([signal, stopping]);
  const waits: WaitBudget = { leftMs: settleWaitsMs, signal: stop };
  const settleOrLeave = async (ids: readonly DlqId[]): Promise<number> => {
    const { deleted, outcomes } = await settle(source, ofDrain(drain), ids, { signal, waits });
    if (outcomes.some((outcome) => outcome !== "deleted")) source.sweepRequest.within(sweptWithinMs);
    return deleted;
  };
  const report = createPageReport(drain);
  await source.unwritten.replay(source.ledger);

  const { found, unusable } = collect(page.records, source.lineageKeys());
  report.unusable(unusable);
  const known = await lookUp(drain, found);
  report.comeBacks(known);
  const isLive = drain.config.mode === "live";

  const candidates: Candidate[] = [];
  const toPark: DecidedRecord[] = [];
  const exhausted: DecidedRecord[] = [];
  const toDrop: DecidedRecord[] = [];
  const doneBefore: DlqId[] = [];
  const toUnpark: DlqId[] = [];
  for (const record of known) {
    const one = decideOne(drain, record);
    if (accepts?.(one) === false) continue;
    report.listed();
    const { then } = one.decided.decision;
    const isActedOn = one.candidate !== null || (then === "drop" && isLive);
    if (isLive && isNewlyExhausted(one.decided)) {
      exhausted.push(one.decided);
      continue;
    }
    if (!isActedOn) report.decided(one.decided);
    if (shouldUnpark(drain, record, isActedOn)) toUnpark.push(record.letter.dlqId);
    if (one.candidate !== null) candidates.push(one.candidate);
    else if (then === "drop") toDrop.push(one.decided);
    else if (then === "park") toPark.push(one.decided);
    else if (then === "settle") doneBefore.push(record.letter.dlqId);
  }
  // A candidate needs a copy only if it is left after all.
  const isWorkedOn = new Set<unknown>(isLive ? idsOf(candidates) : []);
  const isDone = new Set<unknown>(doneBefore);
  await keepCopiesOf(
    drain,
    page.records.filter(({ dlqId }) => !isDone.has(dlqId) && !isWorkedOn.has(dlqId)),
  );
  if (!isLive) return report.outcome(candidates);

  // Each come-back is recorded when first met. A listing check of its step meets it again.
  const newComeBacks = known.filter(({ isNewComeBack }) => isNewComeBack).flatMap(toLaneComeBack);
  const [{ free: unguarded, held: guarded }] = await Promise.all([
    holdByGuards(drain, candidates),
    source.lanes.recordComeBacks(newComeBacks),
  ]);
  const laneGrantsEndAt = source.clock.monotonic() + grantedForMs(source.ledger.limits);
  const { free, held: waiting, kept } = await admitToLanes(drain, unguarded, exhausted);
  const isKept = new Set(kept.map(({ candidate }) => candidate));
  for (const one of exhausted) {
    if (isKept.has(one)) continue;
    report.decided(one);
    toPark.push(one);
  }

  await unpark(drain, toUnpark);
  await parkRecords(drain, toPark);
  report.settled(await settleOrLeave(doneBefore));
  const drops = await drop(drain, toDrop, page.readAt);
  report.results(drops);
  report.settled(await settleOrLeave(idsDone(drops)));
  report.results([...guarded, ...waiting, ...kept]);

  /** Their lane grants are not given back. A canary in doubt counts only if it comes back. */
  const publishedOrInDoubt = new Set<unknown>();
  /** Answers those that led to no POST. */
  const publish = async (granted: readonly Candidate[]): Promise<readonly Candidate[]> => {
    const unused: Candidate[] = [];
    // Small batches share a delete.
    let done: readonly DlqId[] = [];
    const settleDone = async (): Promise<void> => {
      const ids = done;
      done = [];
      if (backgroundSettle === undefined) report.settled(await settleOrLeave(ids));
      else if (ids.length > 0) await backgroundSettle.add(() => settleOrLeave(ids));
    };
    for (const whole of toBatches(source, granted)) {
      const late = source.clock.monotonic() > laneGrantsEndAt ? whole.filter(isCanary) : [];
      report.results(late.map((one) => held(one, "lane-watched")));
      unused.push(...late);
      const batch = late.length > 0 ? whole.filter((one) => !isCanary(one)) : whole;
      if (batch.length === 0) continue;
      const reason = whyNotNow(drain, signal, batch[0]);
      if (reason !== null) {
        report.results(batch.map((one) => held(one, reason)));
        unused.push(...batch);
        continue;
      }
      const areFewAlone = page.isAlone === true && candidates.length <= fewRecords;
      // Pages of large messages are small. Records in doubt were posted before, so they do not show whether
      // others wait.
      const othersWait = (): boolean =>
        !areFewAlone && source.poison.postedLately() > fewRecords && !batch.every(isReconciling);
      const ofPage = { readAt: page.readAt, othersWait };
      const results = await source.health.publishing(() => republish(drain, batch, ofPage, signal));
      report.results(results);
      for (const result of results) {
        const isOut = result.kind === "in-doubt" || (result.kind === "published" && result.isOfNow);
        if (isOut) publishedOrInDoubt.add(result.candidate.letter.dlqId);
      }
      done = [...done, ...idsDone(results)];
      if (done.length > idsPerDelete / 2) await settleDone();
      unused.push(...results.filter(leavesGrantUnused).map(({ candidate }) => candidate));
    }
    await settleDone();
    return unused;
  };
  report.results(
    await withCapacity(drain, free, {
      pageReadAt: page.readAt,
      stop,
      whyNotNow: (candidate) => whyNotNow(drain, signal, candidate),
      publish,
    }),
  );
  await giveBackUnpublished(drain, free, publishedOrInDoubt);
  const outcome = report.outcome([]);
  const isLeft = new Set<unknown>(outcome.left.map(({ dlqId }) => dlqId));
  await keepCopiesOf(
    drain,
    page.records.filter(({ dlqId }) => isWorkedOn.has(dlqId) && isLeft.has(dlqId)),
  );
  return outcome;
}

function isCanary({ sendAs }: Candidate): boolean {
  return sendAs !== null;
}

/** The ids that may be deleted: proven published or archived, now or before. */
function idsDone(results: readonly (PublishResult | DropResult)[]): readonly DlqId[] {
  return results.flatMap(({ kind, candidate }) =>
    kind === "published" || kind === "dropped" || kind === "done-before" ? [candidate.letter.dlqId] : [],
  );
}

async function keepCopiesOf(drain: DrainRuntime, records: readonly RawRecord[]): Promise<void> {
  const { archive, config, source } = drain;
  const { then, withinMs } = config.beforeExpiry;
  if (then === "nothing") return;
  const by = serviceNow(source) + withinMs;
  const near = records.filter((raw) => expiresBy(raw, source.config.retentionMs, by));
  await keepCopies(source, near, { archive, ...ofDrain(drain) });
}

/**
 * True for a record parked as vanished that is listed after all, because an earlier listing lagged. Also for
 * one parked by these very rules, if they decide otherwise by now. One parked under other rules is taken by
 * `begin` itself.
 */
function shouldUnpark({ config }: DrainRuntime, { view }: KnownRecord, isActedOn: boolean): boolean {
  if (view.state !== "parked") return false;
  return view.reason === "vanished" || (isActedOn && view.rulesHash === config.rulesHash);
}

async function unpark(drain: DrainRuntime, back: readonly DlqId[]): Promise<void> {
  if (back.length === 0) return;
  const records = back.map((dlqId) => ({ dlqId, reason: "listed-again" }));
  await recordIntent(drain.source, "release", records, ofDrain(drain));
  await drain.source.ledger.release(back, "listed-again");
}

/**
 * Why a candidate cannot be sent now; null if it can. A service that refused everything still gets POSTs that
 * reconcile: past its horizon such a message could only be doubled or parked.
 */
function whyNotNow(
  { config, source }: DrainRuntime,
  signal: AbortSignal,
  candidate: Candidate | undefined,
): HoldReason | null {
  if (config.paused) return "paused";
  if (signal.aborted) return "stopping";
  const now = source.health.current("batch");
  switch (now.state) {
    case "usable":
      return null;
    case "waiting":
      return "not-sent";
    case "halted": {
      const isAsked = now.code === "service-refuses-everything" && candidate !== undefined;
      return isAsked && now.callClass === "batch" && isReconciling(candidate) ? null : "source-halted";
    }
  }
}
