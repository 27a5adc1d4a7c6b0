/**
 * One listed page of dead letters, in the order that runs. The order inside an act is the delivery guarantee:
 *
 *   begin in the ledger and the audit ─► POST or archive ─► fact ─► delete
 *
 * A letter with a fate is done here. Grants of lanes and capacity end soon, so they are taken after the archive
 * has written.
 */
import { serviceNow } from "../contracts/service.ts";
import type { DlqId, RawRecord } from "../message/dead-letter.ts";
import { giveBackUnpublished, spareExhausted } from "../lanes/admit.ts";
import { toLaneComeBack } from "../lanes/come-back-from-record.ts";
import type { FailureTally } from "../failures/count-failures.ts";
import { recordIntent, ofDrain } from "../write-audit.ts";
import type { DrainRuntime } from "../runtime.ts";
import { expiresBy } from "../listing/record-dates.ts";
import { apart } from "./apart.ts";
import { decideLetter, isNewlyExhausted, isToSettle, isToUnpark, preparationOf } from "./decide-letter.ts";
import { drop } from "./drop.ts";
import { slowDownHosts, toFailedAgain } from "./failed-again.ts";
import { isPutAside } from "./fate.ts";
import { roundsOf } from "./gates/rounds.ts";
import { keepCopies } from "./keep-copies.ts";
import { idsOf, type Letter, type Page, isProven } from "./letter.ts";
import { lookUp, recognise, writeEvidence } from "./look-up.ts";
import { parkUnreadable } from "./park-unreadable.ts";
import { createPageReport, type PageReport } from "./page-report.ts";
import { park } from "./park.ts";
import { parsePage, type Unreadable } from "./parse-page.ts";
import { idsPerDelete, settleOrLeave } from "./settle.ts";
import { toUnworkable } from "./put-aside.ts";
import { createSharedBatches, type PageBatches } from "./share-batches.ts";

export interface PageWork {
  /** Ends waits for capacity. Begun work is finished. It must abort if the page's signal does. */
  readonly stopping?: AbortSignal;
  /** Its part in the batches that pages of one window share, which its caller leaves. Absent: its own. */
  readonly batches?: PageBatches;
  /** Called once every record is decided: from then on the page's array of them may be emptied. */
  readonly onDecided?: () => void;
  /** Called with each decided letter before any act. One that it refuses is left as it is, uncounted. */
  readonly accepts?: (letter: Letter) => boolean;
  /** Counts while the page is worked, for its caller. Absent: its own, in the outcome. */
  readonly failures?: FailureTally;
  /** Called when the page is decided, and when some of it have a result. Turns of a rate may be far apart. */
  readonly onTurn?: () => Promise<void>;
}

export async function workPage(drain: DrainRuntime, page: Page, signal: AbortSignal, work: PageWork = {}) {
  const { stopping = signal, batches = createSharedBatches(drain, signal).join() } = work;
  const { source, config } = drain;
  const report = createPageReport(drain, work.failures);
  const settleNow = settleOrLeave(drain, signal, stopping);
  const stage = (some: readonly Letter[], act: (some: readonly Letter[]) => unknown) =>
    apart(drain, page.readAt, some, act);
  const settle = (some: readonly Letter[]) =>
    stage(some, async (part) => report.settled(await settleNow(part, unauditedOf(part))));
  await source.unwritten.replay(source.ledger);

  const { letters, ...unreadable } = parsePage(page.records, source.lineageKeys());
  const noted = await stage(letters, (some) => noteComeBacks(drain, some));
  const known = await stage(noted, (some) => lookUp(drain, some));
  await stage(known, (some) => decideLetters(drain, some, work));
  await parkUnreadable(drain, namesOf(unreadable, work), page.readAt, report);
  const expiring = expiringSoon(drain, page.records, letters);
  const { due, undue, parkedBefore } = endDecided(drain, letters, report);
  work.onDecided?.();
  const provenBefore = undue.filter((one) => isToSettle(one, page.readAt));
  const [going, staying] = partOf(expiring, due);
  await keepCopiesOf(drain, partOf(staying, provenBefore)[1]);
  if (config.mode !== "live") return report.outcome();

  await stage(parkedBefore, (some) => unpark(drain, some));
  await stage(undue.filter(isToPark), (some) => park(drain, some));
  await settle(provenBefore);
  await stage(undue, (some) => drop(drain, some, page.readAt));
  report.ended();
  await drain.shared?.write();
  await settle(undue.filter(isProven));
  await stage(undue, async (some) => park(drain, await spareExhausted(drain, some)));
  for (const letter of undue) letter.forgetContent();
  // Canaries and rates may hold the page for long: what was listed is told before.
  await work.onTurn?.();

  // Small batches share a delete.
  const proven: Letter[] = [];
  for await (const free of roundsOf(drain, due, page.readAt, { signal, stop: stopping })) {
    report.ended();
    for await (const ended of batches.publishTogether(free, page, due.length)) {
      report.ended();
      // Before another drain that has seen it done ends its window: nobody could tell whether it was counted there.
      await drain.shared?.write();
      proven.push(...ended.filter(isProven));
      await work.onTurn?.();
      if (proven.length > idsPerDelete / 2) await settle(proven.splice(0));
    }
  }
  report.ended();
  await settle(proven);
  await stage(due, (some) => giveBackUnpublished(drain, some));
  noteWorked(drain, letters);
  const outcome = report.outcome();
  await keepCopiesOf(drain, partOf(going, outcome.left)[0]);
  return outcome;
}

/** A page without any that breaks its work. */
function noteWorked({ source: { unworkable } }: DrainRuntime, letters: readonly Letter[]): void {
  if (unworkable.isAnyKnown() && letters.length > 0 && !letters.some(isPutAside)) unworkable.worked();
}

/** Each come-back is recorded when first met. A listing check of its step meets it again. */
async function noteComeBacks(drain: DrainRuntime, letters: readonly Letter[]): Promise<void> {
  await recognise(drain.source, letters);
  // What is archived failed long ago. Its lane and its host have learned of it.
  if (drain.config.mode !== "live" || drain.fromArchive !== undefined) return;
  const isNew = await writeEvidence(drain.source, letters);
  if (isNew.length === 0) return;
  await drain.source.lanes.recordComeBacks(isNew.flatMap(toLaneComeBack));
  await slowDownHosts(drain, isNew.flatMap(toFailedAgain));
}

function decideLetters(drain: DrainRuntime, letters: readonly Letter[], { accepts }: PageWork): void {
  const now = serviceNow(drain.source);
  const preparation = preparationOf(drain);
  for (const letter of letters) {
    if (letter.fate !== null) continue;
    decideLetter(drain, letter, now, preparation);
    if (accepts?.(letter) === false) letter.fate = { kind: "not-ordered" };
  }
}

/** Counts what was decided. What is not acted on has its fate. Answers what is due, and what is not. */
function endDecided(drain: DrainRuntime, letters: readonly Letter[], report: PageReport) {
  const isLive = drain.config.mode === "live";
  const due: Letter[] = [];
  const undue: Letter[] = [];
  const parkedBefore: Letter[] = [];
  report.comeBacks(letters);
  for (const letter of letters) {
    const { fate, item, decision, view } = letter;
    if (fate !== null) continue;
    if (view.state === "parked") parkedBefore.push(letter);
    const isWaiting = isLive && (decision.then === "drop" || decision.then === "park");
    if (item === null) undue.push(letter);
    else if (isLive) due.push(letter);
    if (item === null && !isWaiting) letter.fate = { kind: "decided" };
    if (item !== null && !isLive) letter.fate = { kind: "planned" };
  }
  report.listed(letters);
  report.ended();
  // Parks and drops still need what was listed.
  for (const letter of letters) {
    if (letter.decision.then !== "park" && letter.decision.then !== "drop") letter.forgetContent();
  }
  return { due, undue, parkedBefore };
}

/** An order has none of them, so it parks none. */
function namesOf({ unusable, broken }: Unreadable, { accepts }: PageWork): Unreadable {
  if (accepts === undefined) return { unusable, broken };
  const all = [...unusable, ...broken.map(({ error }) => toUnworkable(error))];
  return { unusable: all.map(({ reason, problem }) => ({ reason, problem })), broken: [] };
}

/** What is newly exhausted is parked only if its lane does not keep it. */
function isToPark(letter: Letter): boolean {
  return letter.decision.then === "park" && !isNewlyExhausted(letter);
}

function unauditedOf(letters: readonly Letter[]): ReadonlySet<DlqId> {
  const unaudited = new Set<DlqId>();
  for (const { dlqId, fate } of letters) {
    if (fate?.kind !== "published" || !fate.isDeleteAudited) unaudited.add(dlqId);
  }
  return unaudited;
}

function expiringSoon(
  { config, source, fromArchive }: DrainRuntime,
  records: readonly RawRecord[],
  letters: readonly Letter[],
): readonly RawRecord[] {
  const { then, withinMs } = config.beforeExpiry;
  if (then === "nothing" || fromArchive !== undefined) return [];
  const { retentionMs } = source.config;
  const by = serviceNow(source) + withinMs;
  let oldestAt = Infinity;
  for (const { enteredAt } of letters) oldestAt = Math.min(oldestAt, enteredAt);
  // What is no letter may have no date.
  if (letters.length === records.length && oldestAt + retentionMs > by) return [];
  return records.filter((raw) => expiresBy(raw, retentionMs, by));
}

function partOf(
  records: readonly RawRecord[],
  letters: readonly { readonly dlqId: DlqId }[],
): readonly [readonly RawRecord[], readonly RawRecord[]] {
  if (records.length === 0) return [records, records];
  const ids = new Set<unknown>(idsOf(letters));
  return [records.filter(({ dlqId }) => ids.has(dlqId)), records.filter(({ dlqId }) => !ids.has(dlqId))];
}

async function keepCopiesOf(drain: DrainRuntime, expiring: readonly RawRecord[]): Promise<void> {
  const { archive, source } = drain;
  await keepCopies(source, expiring, { archive, ...ofDrain(drain) });
}

async function unpark(drain: DrainRuntime, parkedBefore: readonly Letter[]): Promise<void> {
  const back = parkedBefore.filter((one) => isToUnpark(drain, one));
  if (back.length === 0) return;
  const records = back.map(({ dlqId }) => ({ dlqId, reason: "listed-again" }));
  await recordIntent(drain.source, "release", records, ofDrain(drain));
  await drain.source.ledger.release(idsOf(back), "listed-again");
}
