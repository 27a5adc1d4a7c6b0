/**
 * Applies a plan that the replicas share, in this process: reads its lines, then checks and acts as
 * `redriver apply` does with a file.
 */
import {
  type Core,
  requireRedis,
  type DrainRuntime,
  type SourceRuntime,
  type ListingSignals,
} from "../../../job/door.ts";
import type { Clock } from "../../../job/contracts/clock.ts";
import { RedriverError, toFailure } from "../../../job/contracts/errors.ts";
import type { DrainName, SourceId } from "../../../job/contracts/ids.ts";
import type {
  PlanApplyDrain,
  PlanBook,
  PlanClaim,
  PlanOrder,
  PlanVerdict,
} from "../../../job/contracts/plans.ts";
import type { Applied, AppliedSoFar, ApplyRun } from "../../plan/apply.ts";
import { readPlan } from "../../plan/plan-file.ts";
import type { PlanCheck } from "../../plan/check-plan.ts";
import { createSelection } from "../../plan/plan-selection.ts";
import { addSkips, skippedOf } from "../../plan/skipped-by-apply.ts";
import {
  applyPart,
  checkParts,
  followParts,
  refuseDrifted,
  toPart,
  type CheckedPart,
  type PlanPart,
} from "./apply-parts.ts";
import { toSkipText } from "./decision-text.ts";
import { toWhyDiscarded } from "./discard.ts";
import { keepSigning, toWhyStopped } from "./keep-signing.ts";

/** What else a process does that works on the same sources. */
export interface BesideApply {
  /** Called after each page. */
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
}

const shownSkips = 10;

/** Never throws: how it ended is in the plan's row. */
export async function applySharedPlan(run: ApplySharedRun): Promise<void> {
  const { core, book, claim, order, afterPage } = run;
  const track = trackApply(run);
  const { signals } = track;
  try {
    await requireRedis(core);
    const selection = createSelection();
    const reading = await readPlan(book.lines(claim.id), selection.add);
    if (!reading.ok) throw new RedriverError("plan-invalid", `the plan in Redis: ${reading.problem}`);
    const { drains, flags } = reading.head;
    const why = toWhyDiscarded(flags, `plan ${claim.id}`, order.why);
    const parts = drains.map((planned) => actingFor(toPart(core, planned, flags, why), run));
    for (const part of parts) track.checking(part, 0, selection.of(part.drain).size);
    const checked = await checkParts(parts, selection, signals, (drain, count, planned) => {
      const part = parts.find((one) => one.drain === drain);
      if (part !== undefined) track.checking(part, count, planned);
    });
    refuseDrifted(checked.map(({ check }) => check));
    track.checked(checked);
    const applied: Applied[] = [];
    for (const part of checked) {
      const one = await track.applying(part, ({ onPage, onWait }) =>
        applyPart(core, part, {
          order: { why: order.why },
          signals,
          onPage: (left, soFar) => {
            onPage(left, soFar);
            afterPage?.(core, part.runtime.source);
          },
          onWait,
        }),
      );
      applied.push(one);
    }
    await followParts(checked, applied, { signals, isWanted: true }, track.followed);
    await track.end();
  } catch (error) {
    await track.fail(error);
  }
}

/** Shows an apply in the row of its plan while it goes on, and ends it if a person stops it there. */
export function trackApply({
  book,
  clock,
  claim,
  signals: { signal, stopping },
}: Pick<ApplySharedRun, "book" | "clock" | "claim" | "signals">) {
  const progress = new Map<DrainName, () => PlanApplyDrain>();
  const signing = keepSigning(book, clock, claim, () => [...progress.values()].map((toNow) => toNow()));
  const signals: ListingSignals = { signal, stopping: AbortSignal.any([stopping, signing.signal]) };
  const ends: string[] = [];
  let hasFailed = false;
  return {
    signals,
    checking(part: PlanPart, count: number, planned: number): void {
      progress.set(part.drain, () => toChecking(part, count, planned));
    },
    checked(parts: readonly CheckedPart[]): void {
      for (const part of parts) progress.set(part.drain, () => toApplying(part));
    },
    async applying(
      part: CheckedPart,
      run: (watch: Pick<ApplyRun, "onPage" | "onWait">) => Promise<Applied>,
    ): Promise<Applied> {
      const { clock: own } = part.runtime.source;
      let soFar: (() => AppliedSoFar) | null = null;
      let wait: { readonly reasons: Readonly<Record<string, number>>; readonly until: number } | null = null;
      // Asked for again and again, and counts down.
      const toWait = (): PlanApplyDrain["wait"] =>
        wait && { reasons: wait.reasons, nextCheckMs: Math.max(0, wait.until - own.now()) };
      progress.set(part.drain, () => toApplying(part, soFar?.(), toWait()));
      const applied = await run({
        onPage: (_left, done) => {
          soFar = done;
          wait = null;
        },
        onWait: ({ reasons, nextCheckMs }) => {
          wait = { reasons, until: own.now() + nextCheckMs };
        },
      });
      const ended: PlanApplyDrain = { ...toApplying(part, applied), phase: "ended" };
      progress.set(part.drain, () => ended);
      const end = toEnd(part.drain, applied, signals.stopping);
      if (end !== null) ends.push(end);
      if (applied.stop?.kind === "failed") hasFailed = true;
      return applied;
    },
    followed({ drain }: PlanPart, verdict: PlanVerdict | null): void {
      const ended = progress.get(drain)?.();
      if (ended === undefined) return;
      progress.set(drain, () => ({ ...ended, failedAgain: verdict?.cameBack ?? 0, verdict }));
    },
    end(): Promise<void> {
      const why = ends.length === 0 ? null : ends.join("; ");
      return signing.end(hasFailed ? "failed" : why === null ? "applied" : "interrupted", why);
    },
    /** Of a failure before anything was done. */
    fail(error: unknown): Promise<void> {
      if (signals.stopping.aborted) {
        return signing.end("interrupted", `${toWhyStopped(signals.stopping)}; nothing was done`);
      }
      const { code, message } = toFailure(error);
      return signing.end("failed", `${code}: ${message}`);
    },
  };
}

/** The person acts. Lanes share their times with the rest of the process. */
function actingFor(part: PlanPart, { order, onLaneTimes }: ApplySharedRun): PlanPart {
  const { source } = part.runtime;
  const takeNext = (): readonly number[] => {
    const times = source.lanes.takeNext();
    if (times.length > 0) onLaneTimes?.(source.config.id, times);
    return times;
  };
  const acting: SourceRuntime = { ...source, by: order.by, lanes: { ...source.lanes, takeNext } };
  const runtime: DrainRuntime = { ...part.runtime, source: acting };
  return { ...part, runtime };
}

const noSkipped = { gone: 0, changed: 0, otherwise: 0 };

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
    skipped: noSkipped,
    skippedExamples: [],
    leftReasons: {},
    wait: null,
  };
}

function toApplying(
  { drain, host, check }: PlanPart & { readonly check: PlanCheck },
  soFar?: AppliedSoFar,
  wait: PlanApplyDrain["wait"] = null,
): PlanApplyDrain {
  const { planned, done: before } = check;
  const skips = soFar === undefined ? check.skips : addSkips(check.skips, soFar.skips);
  const left = soFar?.left ?? check.open.size;
  const { gone, changed, otherwise, examples } = skips;
  return {
    drain,
    host,
    phase: "applying",
    planned,
    checked: planned,
    before,
    done: planned - before - skippedOf(skips) - left,
    left,
    failedAgain: 0,
    verdict: null,
    skipped: { gone, changed, otherwise },
    skippedExamples: examples.slice(0, shownSkips).map(toSkipText),
    leftReasons: soFar?.leftReasons ?? {},
    wait,
  };
}

/** Null if nothing is left. */
function toEnd(drain: DrainName, { stop, left }: Applied, stopping: AbortSignal): string | null {
  if (stop === null) return left === 0 ? null : `${drain}: ${left} left`;
  const rest = `${left} left`;
  switch (stop.kind) {
    case "interrupted":
      return `${drain}: ${toWhyStopped(stopping)}, ${rest}`;
    case "paused":
      return `${drain}: paused ${stop.why}, ${rest}`;
    case "failed": {
      const { code, message } = toFailure(stop.error);
      return `${drain}: ${code}: ${message}, ${rest}`;
    }
  }
}
