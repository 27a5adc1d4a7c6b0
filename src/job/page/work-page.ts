/**
 * One listed page of dead letters, in the order that runs:
 *
 *   write facts that waited for Redis ─► collect ─► look up ─► decide and prepare
 *     ─► keep copies of what expires soon ─► (plan mode ends here)
 *     ─► unpark, park ─► settle what was done before ─► drop, settle ─► guards, beside come-backs to their lanes
 *     ─► paused destinations ─► lanes, beside failures to the rates of their hosts ─► park
 *     ─► in turns: capacity ─► fill batches, with other pages ─► republish ─► settle
 *     ─► give back unused canaries ─► keep copies of candidates that are left
 *
 * The order inside an act is the delivery guarantee: begin ─► audit ─► POST or archive ─► record ─► delete.
 * Grants of lanes and capacity end soon, so they are taken after the archive has written.
 */
import type { DlqId, RawRecord } from "../message/dead-letter.ts";
import { admitToLanes, giveBackUnpublished } from "../lanes/admit.ts";
import { toLaneComeBack } from "../lanes/come-back-from-record.ts";
import type { FailureTally } from "../failures/count-failures.ts";
import { recordIntent, ofDrain } from "../write-audit.ts";
import { serviceNow, type DrainRuntime } from "../runtime.ts";
import { expiresBy } from "../listing/record-dates.ts";
import { leavesCapacityUnused, turnsOf } from "./capacity.ts";
import { collect } from "./collect.ts";
import { drop } from "./drop.ts";
import { slowDownHosts, toFailedAgain } from "./failed-again.ts";
import { createSharedBatches, type PageBatches } from "./fill-batches.ts";
import { holdByGuards } from "./guards.ts";
import { keepCopies } from "./keep-copies.ts";
import { lookUp } from "./look-up.ts";
import { decideUnusable } from "./malformed.ts";
import { parkRecords, writeParked } from "./park.ts";
import { holdPausedHosts } from "./paused-hosts.ts";
import { createPageReport, type PageOutcome, type PageReport } from "./page-report.ts";
import { idsOf, type Candidate, type Page } from "./records.ts";
import { asksAgain, deletesAudited, idsDone, isProven, type PublishResult } from "./results.ts";
import { idsPerDelete, settleOrLeave } from "./settle.ts";
import { sortByDecision, type DecidedOne } from "./sort-by-decision.ts";

/** The surroundings of a page's work. */
export interface PageWork {
  /** Ends waits for capacity. Begun work is finished. It must abort if the page's signal does. */
  readonly stopping?: AbortSignal;
  /** Its part in the batches that pages of one window share, which its caller leaves. Absent: its own. */
  readonly batches?: PageBatches;
  /** Called once every record is decided: from then on the page's array of them may be emptied. */
  readonly onDecided?: () => void;
  /** Called with each decision before any act. A record that it refuses is left as it is, uncounted. */
  readonly accepts?: (one: DecidedOne) => boolean;
  /** Counts while the page is worked, for its caller. Absent: its own, in the outcome. */
  readonly failures?: FailureTally;
  /** Called when some of the page have a result. Turns of a rate may be far apart. */
  readonly onTurn?: () => Promise<void>;
}

/** Works one page. Throws RedriverErrors of the ledger; failures of the service are in the outcome. */
export async function workPage(
  drain: DrainRuntime,
  page: Page,
  signal: AbortSignal,
  {
    stopping = signal,
    onDecided,
    accepts,
    failures,
    onTurn,
    batches = createSharedBatches(drain, signal).join(),
  }: PageWork = {},
): Promise<PageOutcome> {
  const { source } = drain;
  const settle = settleOrLeave(drain, signal, stopping);
  const report = createPageReport(drain, failures);
  await source.unwritten.replay(source.ledger);

  const decided = await decidePage(drain, page, { report, accepts });
  const { sorted, malformed, newComeBacks, failedAgain, expiring } = decided;
  onDecided?.();

  // A candidate needs a copy only if it is left after all.
  const isLive = drain.config.mode === "live";
  const isWorkedOn = new Set<unknown>(isLive && expiring.length > 0 ? idsOf(sorted.candidates) : []);
  const isDone = new Set<unknown>(sorted.doneBefore);
  await keepCopiesOf(drain, expiring, ({ dlqId }) => !isDone.has(dlqId) && !isWorkedOn.has(dlqId));
  if (!isLive) return report.outcome(sorted.candidates);

  await unpark(drain, sorted.toUnpark);
  await parkRecords(drain, sorted.toPark);
  const { parkings, seenAt } = malformed;
  if (parkings.length > 0) await writeParked(drain, parkings, { seenAt });
  report.settled(await settle(sorted.doneBefore));
  const drops = await drop(drain, sorted.toDrop, page.readAt);
  report.results(drops);
  report.settled(await settle(idsDone(drops)));

  const [guarded] = await Promise.all([
    holdByGuards(drain, sorted.candidates),
    source.lanes.recordComeBacks(newComeBacks),
  ]);
  const unpaused = await holdPausedHosts(drain, guarded.free);
  const [admitted] = await Promise.all([
    admitToLanes(drain, unpaused.free, sorted.exhausted),
    // Rides along with the question to the lanes.
    slowDownHosts(drain, failedAgain),
  ]);
  report.decided(admitted.toPark);
  await parkRecords(drain, admitted.toPark);
  report.results([...guarded.held, ...unpaused.held, ...admitted.held, ...admitted.kept]);

  const candidates = sorted.candidates.length;
  const ofPage = {
    readAt: page.readAt,
    isAlone: page.isAlone === true,
    candidates,
    grantsEndAt: admitted.grantsEndAt,
  };
  const unpublished: Candidate[] = [];
  // Small batches share a delete.
  let proven: PublishResult[] = [];
  for await (const turn of turnsOf(drain, admitted.free, page.readAt, { signal, stop: stopping })) {
    report.results(turn.held);
    unpublished.push(...turn.held.map(({ candidate }) => candidate));
    for await (const answered of batches.publish(turn.granted, ofPage)) {
      const results = answered.filter((one) => !asksAgain(one));
      report.results(results);
      for (const result of results) {
        if (isProven(result)) proven.push(result);
        if (leavesCanaryUnused(result)) unpublished.push(result.candidate);
      }
      await turn.giveBack(answered.filter(leavesCapacityUnused));
      await onTurn?.();
      if (proven.length <= idsPerDelete / 2) continue;
      report.settled(await settle(idsDone(proven), deletesAudited(proven)));
      proven = [];
    }
  }
  report.settled(await settle(idsDone(proven), deletesAudited(proven)));
  await giveBackUnpublished(drain, unpublished);

  const outcome = report.outcome([]);
  const isLeft = new Set<unknown>(outcome.left.map(({ dlqId }) => dlqId));
  await keepCopiesOf(drain, expiring, ({ dlqId }) => isWorkedOn.has(dlqId) && isLeft.has(dlqId));
  return outcome;
}

/**
 * Looks up and decides the records of a page. Apart from its acts, so that what only a decision needs is free
 * before the candidates wait for their batches.
 */
async function decidePage(
  drain: DrainRuntime,
  { records, readAt }: Page,
  { report, accepts }: { readonly report: PageReport; readonly accepts: PageWork["accepts"] },
) {
  const { found, unusable } = collect(records, drain.source.lineageKeys());
  const known = await lookUp(drain, found);
  const { final, listed, ...sorted } = sortByDecision(drain, known, readAt, accepts);
  // A plan has none of them, so its order parks none.
  const nameless =
    accepts === undefined ? unusable : unusable.map(({ reason, problem }) => ({ reason, problem }));
  const malformed = await decideUnusable(drain, nameless, report);
  report.comeBacks(known);
  report.listed(listed);
  report.decided(final);
  // Each come-back is recorded when first met. A listing check of its step meets it again.
  const isNew = known.filter(({ isNewComeBack }) => isNewComeBack);
  return {
    sorted,
    malformed,
    newComeBacks: isNew.flatMap(toLaneComeBack),
    failedAgain: isNew.flatMap(toFailedAgain),
    expiring: expiringSoon(drain, records),
  };
}

/** A canary in doubt counts only if it comes back. */
function leavesCanaryUnused(result: PublishResult): boolean {
  return result.kind !== "in-doubt" && !(result.kind === "published" && result.isOfNow);
}

/** Those whose copy is due, if they stay. */
function expiringSoon({ config, source }: DrainRuntime, records: readonly RawRecord[]): readonly RawRecord[] {
  const { then, withinMs } = config.beforeExpiry;
  if (then === "nothing") return [];
  const by = serviceNow(source) + withinMs;
  return records.filter((raw) => expiresBy(raw, source.config.retentionMs, by));
}

async function keepCopiesOf(
  drain: DrainRuntime,
  expiring: readonly RawRecord[],
  needsCopy: (record: RawRecord) => boolean,
): Promise<void> {
  const { archive, source } = drain;
  await keepCopies(source, expiring.filter(needsCopy), { archive, ...ofDrain(drain) });
}

async function unpark(drain: DrainRuntime, back: readonly DlqId[]): Promise<void> {
  if (back.length === 0) return;
  const records = back.map((dlqId) => ({ dlqId, reason: "listed-again" }));
  await recordIntent(drain.source, "release", records, ofDrain(drain));
  await drain.source.ledger.release(back, "listed-again");
}
