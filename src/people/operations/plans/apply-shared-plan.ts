/** Applies a plan in this process: reads its lines, checks each record again, and acts. */
import {
  type Core,
  requireRedis,
  type DrainRuntime,
  type SourceRuntime,
  type ListingSignals,
  ofDrain,
  recordIntent,
} from "../../../job/door.ts";
import type { Clock } from "../../../job/contracts/clock.ts";
import { RedriverError, toFailure, unlessRedisAway } from "../../../job/contracts/errors.ts";
import type { DrainName, SourceId } from "../../../job/contracts/ids.ts";
import type {
  PlanApplyDrain,
  PlanBook,
  PlanClaim,
  PlanOrder,
  PlanVerdict,
} from "../../../job/contracts/plans.ts";
import { defined } from "../../../job/message/defined.ts";
import type { Applied, AppliedSoFar, ApplyWait } from "../../plan/apply.ts";
import { readPlan } from "../../plan/plan-file.ts";
import { createSelection } from "../../plan/plan-selection.ts";
import { addSkips, skippedOf } from "../../plan/skipped-by-apply.ts";
import { toLaneWaitText, type ToldWait } from "../lane-words.ts";
import { present, toClock, toCounts } from "../phrases.ts";
import {
  applyPart,
  checkParts,
  followParts,
  toPart,
  type CheckedPart,
  type PlanPart,
} from "./apply-parts.ts";
import { toDoneText, toSkipCounts, toSkipText } from "./decision-text.ts";
import { toWhyOrdered } from "./discard.ts";
import { keepSigning, toWhyStopped } from "./keep-signing.ts";

/** What else a process does that works on the same sources. */
export interface BesideApply {
  readonly afterPage?: (core: Core, source: SourceRuntime) => void;
  /** Times of lanes that this apply has learned and taken, Unix ms: others may wait for them too. */
  readonly onLaneTimes?: (source: SourceId, times: readonly number[]) => void;
}

export interface ApplySharedRun extends BesideApply {
  readonly core: Core;
  readonly book: PlanBook;
  readonly clock: Pick<Clock, "sleep">;
  readonly claim: PlanClaim;
  readonly order: PlanOrder;
  readonly signals: ListingSignals;
  readonly watch: ApplyWatch;
}

/** What a command shows and asks while its apply goes on. */
export interface ApplyWatch {
  readonly onCheck?: (part: PlanPart, checked: number, planned: number) => void;
  /** Once all is checked, before anything is done. False: nothing is. */
  readonly agrees?: (createdAt: number, parts: readonly CheckedPart[]) => Promise<boolean>;
  /** Before each drain, and with null once all are applied and what they sent is looked after. */
  readonly onPhase?: (part: CheckedPart | null) => Promise<void>;
  readonly onPage?: (part: CheckedPart, left: number) => void;
  readonly onWait?: (part: CheckedPart, wait: ToldWait & Pick<ApplyWait, "left">) => void;
  readonly onNews?: (part: CheckedPart, verdict: PlanVerdict | null) => void;
  /** False: nobody waits for what comes back. */
  readonly isFollowed?: boolean;
}

export type ApplyEnd = CheckedPart & {
  readonly applied: Applied;
  readonly verdict: PlanVerdict | null;
  readonly progress: PlanApplyDrain;
};

const shownSkips = 10;

/** Null: the person said no. Throws what stopped it before anything was done. */
export async function applySharedPlan(run: ApplySharedRun): Promise<readonly ApplyEnd[] | null> {
  const { core, book, clock, claim, order, watch, afterPage } = run;
  let orderedAt: number | undefined;
  const why = toWhyOrdered({}, claim.id, order.why);
  const progress = new Map<DrainName, () => PlanApplyDrain>();
  const signing = keepSigning(book, clock, claim, () => [...progress.values()].map((toNow) => toNow()));
  const { signal, stopping: stop } = run.signals;
  const stopping = AbortSignal.any([stop, signing.signal]);
  const signals: ListingSignals = { signal, stopping };
  let parts: readonly PlanPart[] = [];
  const applied: Applied[] = [];
  try {
    await requireRedis(core);
    orderedAt = (await book.read(claim.id))?.plan.apply?.startedAt;
    const selection = createSelection();
    const reading = await readPlan(book.lines(claim.id), selection.add);
    if (!reading.ok) throw new RedriverError("plan-invalid", `the plan in Redis: ${reading.problem}`);
    const { createdAt, drains, flags } = reading.head;
    parts = drains.map((planned) => actingFor(toPart(core, planned, flags, why), run, orderedAt));
    const onCheck: NonNullable<ApplyWatch["onCheck"]> = (part, count, planned) => {
      progress.set(part.drain, () => toChecking(part, count, planned));
      watch.onCheck?.(part, count, planned);
    };
    for (const part of parts) onCheck(part, 0, selection.of(part.drain).size);
    const checked = await checkParts(parts, selection, signals, onCheck, orderedAt);
    for (const part of checked) progress.set(part.drain, () => toApplying(part));
    if ((await watch.agrees?.(createdAt, checked)) === false) {
      await signing.close();
      await book.giveBack(claim);
      return null;
    }
    for (const part of checked) {
      await watch.onPhase?.(part);
      applied.push(await applyAlone(part));
    }
    await watch.onPhase?.(null);
    const isFollowed = watch.isFollowed ?? true;
    const verdicts = await followParts(checked, applied, { signals, isWanted: isFollowed }, onNews);
    const ends = checked.map((part, at) => ({
      ...part,
      applied: applied[at]!,
      verdict: verdicts[at] ?? null,
      progress: progress.get(part.drain)!(),
    }));
    for (const one of ends) {
      const { done, skipped } = one.progress;
      const came = [one.verdict?.text ?? `${done} done`, toSkipCounts(skipped), toEnd(one, stopping)];
      if (done > 0) await auditEnd(one, present(came).join("; "));
    }
    const texts = ends.flatMap((one) => toEnd(one, stopping) ?? []).join("; ");
    const hasFailed = applied.some(({ stop: by }) => by?.kind === "failed");
    const state = hasFailed ? "failed" : texts === "" ? "applied" : "interrupted";
    await signing.end(state, texts === "" ? null : texts);
    return ends;
  } catch (error) {
    const { code, message } = toFailure(error);
    for (const part of parts.slice(applied.length)) await auditEnd(part, `${toNothing(part)}: ${code}`);
    if (!stopping.aborted) await signing.end("failed", `${code}: ${message}`);
    else await signing.end("interrupted", `${toWhyStopped(stopping)}; nothing was done`);
    throw error;
  }

  async function applyAlone(part: CheckedPart): Promise<Applied> {
    const { clock: own } = part.runtime.source;
    let soFar: (() => AppliedSoFar) | null = null;
    let countedAt = own.now();
    let wait: (Omit<ToldWait, "nextCheckMs"> & { readonly until: number }) | null = null;
    // Asked for again and again, and counts down.
    const toWait = (): PlanApplyDrain["wait"] => {
      if (wait === null) return null;
      const { until, ...rest } = wait;
      return { ...rest, nextCheckMs: Math.max(0, until - own.now()) };
    };
    progress.set(part.drain, () => ({ ...toApplying(part, soFar?.(), toWait()), countedAt }));
    const applied = await applyPart(core, part, {
      order: { why, ...defined({ orderedAt }) },
      signals,
      onPage: (left, done) => {
        soFar = done;
        countedAt = own.now();
        wait = null;
        watch.onPage?.(part, left);
        afterPage?.(core, part.runtime.source);
      },
      onWait: ({ left, reasons, nextCheckMs, lanes: held = [] }) => {
        const lanes = held.map((lane) => toLaneWaitText(lane, own.now()));
        wait = { reasons, lanes, until: own.now() + nextCheckMs };
        watch.onWait?.(part, { left, reasons, lanes, nextCheckMs });
      },
    });
    const ended: PlanApplyDrain = { ...toApplying(part, applied), phase: "ended" };
    progress.set(part.drain, () => ended);
    const nothing = `${toNothing(part)}: ${toWhyNothing(ended, applied, stopping)}`;
    // Its half is empty: another drain has all of the plan.
    const isEmpty = ended.planned === 0 && parts.length > 1;
    if (ended.done === 0 && !isEmpty) await auditEnd(part, nothing);
    return applied;
  }

  /** The orders that an apply writes before it acts do not show what came of them. */
  async function auditEnd({ runtime, kind: host }: PlanPart, what: string): Promise<void> {
    const entry = { ...ofDrain(runtime), why: `${what}; ${why}`, ...defined({ host, orderedAt }) };
    await unlessRedisAway(() => recordIntent(runtime.source, "apply", [], entry), undefined);
  }

  function onNews(part: CheckedPart, verdict: PlanVerdict | null): void {
    const ended = progress.get(part.drain)?.();
    if (ended === undefined) return;
    progress.set(part.drain, () => ({ ...ended, failedAgain: verdict?.cameBack ?? 0, verdict }));
    watch.onNews?.(part, verdict);
  }
}

/** The person acts. Lanes share their times with the rest of the process. */
function actingFor(part: PlanPart, { order, onLaneTimes }: ApplySharedRun, orderedAt?: number): PlanPart {
  const { source, discard } = part.runtime;
  const takeNext = (): readonly number[] => {
    const times = source.lanes.takeNext();
    if (times.length > 0) onLaneTimes?.(source.config.id, times);
    return times;
  };
  const acting: SourceRuntime = { ...source, by: order.by, lanes: { ...source.lanes, takeNext } };
  const ordered = discard && { discard: { ...discard, ...defined({ orderedAt }) } };
  const runtime: DrainRuntime = { ...part.runtime, ...ordered, source: acting };
  return { ...part, runtime };
}

function toChecking({ drain, host }: PlanPart, checked: number, planned: number): PlanApplyDrain {
  return {
    drain,
    host,
    phase: "checking",
    planned,
    checked,
    before: 0,
    done: 0,
    left: planned,
    failedAgain: 0,
    verdict: null,
    skipped: { gone: 0, changed: 0, otherwise: 0 },
    skippedExamples: [],
    leftReasons: {},
    wait: null,
  };
}

function toApplying(
  part: CheckedPart,
  soFar?: AppliedSoFar,
  wait: PlanApplyDrain["wait"] = null,
): PlanApplyDrain {
  const { check } = part;
  const { planned, done: before } = check;
  const skips = soFar === undefined ? check.skips : addSkips(check.skips, soFar.skips);
  const left = soFar?.left ?? check.open.size;
  const { examples, ...skipped } = skips;
  const { meanwhile } = soFar ?? check;
  return {
    ...toChecking(part, planned, planned),
    phase: "applying",
    before,
    done: Math.max(0, planned - before - meanwhile - skippedOf(skips) - left),
    ...(meanwhile > 0 ? { meanwhile } : {}),
    left,
    skipped,
    skippedExamples: examples.slice(0, shownSkips).map(toSkipText),
    leftReasons: soFar?.leftReasons ?? {},
    wait,
  };
}

function toNothing({ archivedIn }: PlanPart): string {
  return `nothing was ${archivedIn === undefined ? "sent" : "discarded"}`;
}

function toWhyNothing(
  { before, meanwhile = 0, skipped, left, leftReasons }: PlanApplyDrain,
  { stop }: Applied,
  stopping: AbortSignal,
): string {
  const parts = [
    stop !== null && toStopText(stop, stopping),
    toDoneText(before, meanwhile),
    toSkipCounts(skipped),
    left > 0 && `${left} left (${toCounts(leftReasons).join(", ")})`,
  ];
  return present(parts).join(", ") || "the plan has nothing to do";
}

/** Null if nothing is left. */
function toEnd({ drain, runtime, applied }: ApplyEnd, stopping: AbortSignal): string | null {
  const { stop, left, leftLanes } = applied;
  if (stop === null) {
    return left === 0 ? null : `${drain}: ${left} left${toHaltText(leftLanes, runtime.source.clock.now())}`;
  }
  return `${drain}: ${toStopText(stop, stopping)}, ${left} left`;
}

/** `, of which 5 waited for a halted lane, whose next probe was due at 14:05 UTC`; empty if none did. */
function toHaltText(waits: Applied["leftLanes"], now: number): string {
  const halted = (waits?.lanes ?? []).filter(({ state }) => state === "halted");
  if (halted.length === 0) return "";
  const due = halted.reduce((sum, lane) => sum + lane.due, 0);
  const at = toClock(now + Math.min(...halted.map(({ nextInMs }) => nextInMs)), now);
  const lanes = halted.length === 1 ? "a halted lane" : `${halted.length} halted lanes`;
  return `, of which ${due} waited for ${lanes}, whose next probe was due at ${at}`;
}

function toStopText(stop: NonNullable<Applied["stop"]>, stopping: AbortSignal): string {
  if (stop.kind === "interrupted") return toWhyStopped(stopping);
  if (stop.kind === "paused") return `paused ${stop.why}`;
  const { code, message } = toFailure(stop.error);
  return `${code}: ${message}`;
}
