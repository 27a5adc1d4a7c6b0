/** What an apply of a plan checks and does, drain by drain. */
import type { Core, DrainRuntime, ListingSignals } from "../../../job/door.ts";
import { addressOf, readPause } from "../drain-pause-and-address.ts";
import { RedriverError, unlessRedisAway } from "../../../job/contracts/errors.ts";
import type { DrainName } from "../../../job/contracts/ids.ts";
import type { PlanFilter, PlanVerdict } from "../../../job/contracts/plans.ts";
import { emptyTally } from "../../../job/contracts/tally.ts";
import { defined } from "../../../job/message/defined.ts";
import { toFailureName, type DestinationName } from "../../../job/message/destination-names.ts";
import { applyPlan, type Applied, type ApplyRun } from "../../plan/apply.ts";
import { requireArchive, toDiscardVerdict, toOrdered } from "./discard.ts";
import { follow, type FollowRun } from "./follow.ts";
import { checkPlan, type PlanCheck } from "../../plan/check-plan.ts";
import type { PlannedDrain } from "../../plan/plan-file.ts";
import type { PlanSelection } from "../../plan/plan-selection.ts";
import { addSkips, driftOf, noSkips } from "../../plan/skipped-by-apply.ts";
import { toDamageText, toSkipCounts, toSkipText } from "./decision-text.ts";

/** A drain's part of a plan, and the drain as it is now. */
export interface PlanPart {
  readonly drain: DrainName;
  /** Of the service. */
  readonly host: string;
  readonly runtime: DrainRuntime;
  readonly range: PlannedDrain;
  /** Of a plan to discard: the directory of the archive. */
  readonly archivedIn?: string;
  /** Of a plan for one kind of failure. */
  readonly kind?: DestinationName;
}

export type CheckedPart = PlanPart & { readonly check: PlanCheck };

/** A plan is refused if more than this part of it has changed. */
const maxDrift = 0.05;
const shownDrift = 3;

/**
 * A drain of today's document. Its rules may have changed: each record is decided again. Throws
 * `plan-invalid` if the document has no such drain, or another source or address for it, and as `requireArchive`.
 * `why`: of a plan to discard.
 */
export function toPart(core: Core, planned: PlannedDrain, filter: PlanFilter, why: string): PlanPart {
  requireArchive(core, filter);
  const { drain, source } = planned;
  const runtime = core.drains.get(drain);
  if (runtime === undefined) throw invalid(`is for drain ${drain}, which the document has not`);
  const { id } = runtime.source.config;
  if (id !== source) throw invalid(`is for drain ${drain} of source ${source}, which is of ${id} now`);
  const { host, hash } = addressOf(core, runtime);
  if (hash !== planned.address) throw invalid(`was made for another address of source ${id} than ${host}`);
  const archivedIn = filter.discard === undefined ? undefined : core.document.archive?.dir;
  const ordered = toOrdered(core, runtime, filter, why);
  const kind = filter.failure === undefined ? undefined : toFailureName(filter.failure);
  return { drain, host, runtime: ordered, range: planned, ...defined({ archivedIn, kind }) };
}

function invalid(what: string): RedriverError {
  return new RedriverError("plan-invalid", `the plan ${what}`);
}

/** Decides every record again. Changes nothing. Throws `stopped`, and `plan-drifted` if too many are not as planned. */
export async function checkParts(
  parts: readonly PlanPart[],
  selection: PlanSelection,
  signals: ListingSignals,
  onPage: (part: PlanPart, checked: number, planned: number) => void,
  since?: number,
): Promise<readonly CheckedPart[]> {
  const checked: CheckedPart[] = [];
  try {
    for (const part of parts) {
      const { runtime, range } = part;
      const orders = selection.of(range.drain);
      await runtime.source.bind();
      const tell = (count: number): void => onPage(part, count, orders.size);
      const check = await checkPlan(runtime, range, orders, signals, tell, since);
      checked.push({ ...part, check });
    }
  } catch (error) {
    if (!signals.stopping.aborted) throw error;
    throw new RedriverError("stopped", "stopped before anything was done", { cause: error });
  }
  refuseDrifted(checked.map(({ check }) => check));
  return checked;
}

function refuseDrifted(checks: readonly PlanCheck[]): void {
  const skips = checks.reduce((sum, one) => addSkips(sum, one.skips), noSkips);
  const planned = checks.reduce((sum, one) => sum + one.planned, 0);
  const drift = driftOf(skips);
  if (drift <= planned * maxDrift) return;
  const shown = skips.examples.slice(0, shownDrift).map((skip) => `\n  ${toSkipText(skip)}`);
  const such = shown.length === 0 ? "" : `, such as${shown.join("")}`;
  const damaged = checks.flatMap(({ damaged = [] }) =>
    damaged.map((one) => `\n  damaged: ${toDamageText(one)}`),
  );
  throw new RedriverError(
    "plan-drifted",
    `${drift} of ${planned} are not as planned (${toSkipCounts(skips)} now), more than ${maxDrift * 100} %: nothing was done; make a new plan${such}${damaged.join("")}`,
  );
}

/** Never throws: the answer has the failure that stopped it. */
export function applyPart(
  core: Core,
  { runtime, range, check: { open, meanwhile } }: CheckedPart,
  run: Pick<ApplyRun, "order" | "signals" | "onPage" | "onWait">,
): Promise<Applied> {
  const pausedBy = async (): Promise<string | null> => {
    const pause = await readPause(core, runtime);
    return pause === undefined ? null : `by ${pause.by}: ${pause.reason} (redriver resume)`;
  };
  return applyPlan({ ...run, drain: runtime, range, open, meanwhile, pausedBy });
}

/** What became of what they have sent or discarded, once all are applied: their watches run side by side. Never throws. */
export function followParts(
  parts: readonly CheckedPart[],
  applied: readonly Applied[],
  run: Pick<FollowRun, "signals" | "isWanted">,
  onNews: (part: CheckedPart, verdict: PlanVerdict | null) => void,
): Promise<readonly (PlanVerdict | null)[]> {
  return Promise.all(
    parts.map(async (part, at) => {
      const { runtime: drain, check, archivedIn } = part;
      const { stop = null, tally: { republished: sentHere } = emptyTally } = applied[at] ?? {};
      const verdict = await (archivedIn === undefined
        ? follow({ ...run, drain, check, sentHere, stop, onNews: (news) => onNews(part, news) })
        : unlessRedisAway(() => toDiscardVerdict(drain, check.orders, archivedIn), null));
      onNews(part, verdict);
      return verdict;
    }),
  );
}
