import type { Series } from "../../../src/job/contracts/ledger-entries.ts";
import type { LedgerLimits } from "../../../src/job/contracts/ledger-limits.ts";
import type { BeginOptions, BeginRequest, BeginVerdict } from "../../../src/job/contracts/ledger.ts";
import { isDecidedAgain } from "../../../src/job/contracts/ledger-entries.ts";
import { postHorizonMs } from "../../../src/job/contracts/ledger-limits.ts";
import { isAtWork, isBeingDeleted } from "./memory-entry.ts";
import type { CoolEntry, DeclaredDouble, Entry, OpenEntryState, ParkedEntry } from "./memory-entry.ts";

export interface BeginContext extends BeginOptions {
  readonly now: number;
  readonly limits: LedgerLimits;
  /**
   * False for a retry, and for a repeat while page age, pause or gate refuse: only what is held already goes
   * on.
   */
  readonly mayBegin: boolean;
  /** Told of an entry whose last POST has been counted. */
  readonly onCounted: (entry: OpenEntryState) => void;
  /** Whether what asks again may be begun all the same. */
  readonly mayAsk: boolean;
}

/** Asking again what became of a POST publishes nothing that may not be published already. */
export function asksAgain(
  entry: Entry | null,
  { act, now, limits, workerLostAt }: Pick<BeginContext, "act" | "now" | "limits" | "workerLostAt">,
): boolean {
  if (entry?.state !== "open" || act !== "republish") return false;
  const { series, lastAt } = entry;
  const isUnknown = !isAtWork(lastAt, now, limits, workerLostAt) && series.posts > series.refusals;
  return isUnknown && now <= series.firstAt + postHorizonMs(limits);
}

/** What begin makes of one record: the verdict, and the entry to write, if any. Pure. */
export interface BeginStep {
  readonly verdict: BeginVerdict;
  readonly entry: Entry | null;
}

type PastHorizon = "leave" | Exclude<DeclaredDouble, false>;

export function beginOne(entry: Entry | null, request: BeginRequest, context: BeginContext): BeginStep {
  const unknownPastHorizon: PastHorizon =
    context.pastHorizon === "new-series" ? "unknown-outcome-past-window" : "leave";
  if (entry === null) {
    return context.mayBegin ? openAs(null, request, context, "leave") : leave({ kind: "in-flight" });
  }
  switch (entry.state) {
    case "open": {
      if (entry.token === context.token && !entry.ended) return leave(begun(entry));
      if (context.previous !== undefined && entry.token === context.previous.token) {
        const counted = countOutcome(entry, context.previous.outcome);
        if (!entry.ended && entry.act === "republish") context.onCounted(counted);
        const step = openAs(counted, request, context, unknownPastHorizon);
        return step.entry === null ? { ...step, entry: counted } : step;
      }
      const isHeld = isAtWork(entry.lastAt, context.now, context.limits, context.workerLostAt);
      const mayBegin = context.mayBegin || (context.mayAsk && asksAgain(entry, context));
      if (!mayBegin || isHeld) return leave({ kind: "in-flight" });
      return openAs(entry, request, context, unknownPastHorizon);
    }
    case "cool":
      if (context.now < entry.dueAt) return leave({ kind: "cooling", dueAt: entry.dueAt });
      if (!context.mayBegin) return leave({ kind: "in-flight" });
      return openAs(entry, request, context, "released-past-window");
    case "parked":
      if (!context.mayBegin || !isUnderOtherRules(entry, context))
        return leave({ kind: "parked", reason: entry.reason });
      return openAs(entry, request, context, unknownPastHorizon);
    case "published":
      return leave({
        kind: "published",
        as: entry.as,
        ...(isBeingDeleted(entry, context.now, context.limits, context.workerLostAt)
          ? { isBeingDeleted: true }
          : {}),
      });
    case "archived":
    case "gone":
      return leave({ kind: entry.state });
  }
}

function leave(verdict: BeginVerdict): BeginStep {
  return { verdict, entry: null };
}

function begun(entry: OpenEntryState): BeginVerdict {
  return { kind: "begun", series: entry.series, declaredDouble: entry.declaredDouble };
}

function openAs(
  entry: OpenEntryState | CoolEntry | ParkedEntry | null,
  request: BeginRequest,
  context: BeginContext,
  pastHorizon: PastHorizon,
): BeginStep {
  const next = nextSeries(entry?.series ?? null, context, pastHorizon);
  if (next === null) return leave({ kind: "past-horizon" });
  const patience = entry === null || entry.state === "parked" ? null : entry;
  const opened: OpenEntryState = {
    state: "open",
    drain: context.drain,
    token: context.token,
    lastAt: context.now,
    act: context.act,
    ended: false,
    series: next.series,
    attempt: request.attempt - 1,
    messageId: request.messageId,
    // A declared double stays one: what may have been accepted before still may.
    declaredDouble: next.declaredDouble || (entry?.declaredDouble ?? false),
    refusedAlone: patience?.refusedAlone ?? 0,
    refusedAloneAt: patience?.refusedAloneAt ?? null,
    released: patience?.released ?? false,
  };
  return { verdict: begun(opened), entry: opened };
}

/**
 * The series of the next POST, or null past the horizon. A drop makes no POST. A refusal with nothing
 * unanswered has ended the last series: the next POST takes the next suffix.
 */
function nextSeries(
  known: Series | null,
  { act, now, limits }: BeginContext,
  pastHorizon: PastHorizon,
): { readonly series: Series; readonly declaredDouble: DeclaredDouble } | null {
  const series = known ?? { suffix: 1, firstAt: now, posts: 0, refusals: 0, doubts: 0 };
  if (act === "drop") return { series, declaredDouble: false };
  const { suffix, refusals, doubts } = series;
  const first = { firstAt: now, posts: 1, refusals: 0 };
  if (series.posts <= refusals) {
    const next = { ...first, suffix: refusals > 0 ? suffix + 1 : suffix, doubts };
    return { series: next, declaredDouble: false };
  }
  if (now <= series.firstAt + postHorizonMs(limits)) {
    return { series: { ...series, posts: series.posts + 1 }, declaredDouble: false };
  }
  if (pastHorizon === "leave") return null;
  return { series: { ...first, suffix: suffix + 1, doubts: doubts + 1 }, declaredDouble: pastHorizon };
}

/** Counts how the token's POST ended, once; a drop makes none. */
export function countOutcome(
  entry: OpenEntryState,
  outcome: "refused" | "refused-alone" | "unknown" | "not-sent" | "hit-after-refusals",
): OpenEntryState {
  if (entry.ended) return entry;
  if (entry.act === "drop") return { ...entry, ended: true };
  const { series } = entry;
  const isRefusal = outcome !== "not-sent" && outcome !== "unknown";
  const posts = series.posts - (outcome === "not-sent" ? 1 : 0);
  const refusals = series.refusals + (isRefusal ? 1 : 0);
  return { ...entry, ended: true, series: { ...series, posts, refusals } };
}

function isUnderOtherRules(entry: ParkedEntry, context: BeginContext): boolean {
  if (!isDecidedAgain(entry.reason) || context.rulesHash === undefined) return false;
  return entry.drain === context.drain && entry.rulesHash !== context.rulesHash;
}
