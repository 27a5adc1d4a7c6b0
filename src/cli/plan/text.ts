/** A plan in lines for a person: what would be done, why, and what it would take. */
import type { DrainName } from "../../ports/ids.ts";
import type { DrainReport } from "../../redrive/plan/plan-drain.ts";
import type { Bound, Estimate } from "../../redrive/plan/estimate.ts";
import type { PlanFilter } from "../../redrive/plan/plan-file.ts";
import type { Room } from "../../redrive/plan/room.ts";
import type { SignatureCounts } from "../../redrive/plan/signature-count.ts";
import { formatDuration } from "../../rules/durations.ts";
import { rateText } from "../../rules/patterns/parse-rate.ts";
import { counted } from "../output/counted.ts";
import { failuresHeading, shownFailures, toFailureLine, toOtherFailures } from "../output/failures.ts";
import { toHaltedText, toPlanLanesText } from "./lanes-text.ts";
import { toCeilingText, toClockText, toGuardText } from "./room-text.ts";
import { toTime } from "../output/time.ts";
import { toDecisionsText, toExpiryText, toItem, toItems, toRulesText } from "./rules-text.ts";
import { wrapList, wrapText } from "../output/wrap.ts";

export interface PlanReport {
  /** Unix ms. */
  readonly createdAt: number;
  readonly documentHash: string;
  readonly filter: PlanFilter;
  /** False when it was stopped before all was looked at. */
  readonly complete: boolean;
  readonly drains: readonly (DrainReport & {
    readonly drain: DrainName;
    /** Of the source. */
    readonly host: string;
    /** Null when it is not paused. */
    readonly pausedBy: string | null;
  })[];
}

export function toPlanText(columns: number, report: PlanReport): string {
  const { filter, createdAt, complete } = report;
  return [
    `Plan of ${toTime(createdAt)}, document ${report.documentHash.slice(0, 12)}. Nothing was changed.\n`,
    toFilterText(filter),
    ...(complete ? [] : ["Stopped before all was looked at.\n"]),
    // Ages go by the service's clock.
    ...report.drains.map(
      (drain) => `\n${toDrainText(columns, drain, createdAt + drain.clock.serviceAheadMs)}`,
    ),
  ].join("");
}

/** What it was narrowed to; empty if it was not. */
export function toFilterText({ rules, host, limit }: PlanFilter): string {
  const asked = [
    ...(rules === undefined ? [] : [`rule ${rules.join(" or ")}`]),
    ...(host === undefined ? [] : [`host ${host}`]),
    ...(limit === undefined ? [] : [`at most ${counted(limit, "record")} of a drain`]),
  ];
  return asked.length === 0 ? "" : `Only: ${asked.join(", ")}\n`;
}

function toDrainText(columns: number, drain: PlanReport["drains"][number], now: number): string {
  const { decisions, planned, listed, estimate } = drain;
  const looked = `${listed === planned ? "" : `${planned} of `}${counted(listed, "record")}`;
  return [
    `${drain.drain} (mode ${drain.mode}) on ${drain.host}: ${looked}\n`,
    `  entered until ${toTime(drain.range.to)}${drain.cut ? "; the limit was reached, there may be more" : ""}\n`,
    toExpiryText(columns, 2, drain.expiry, now, "always"),
    toClockText(columns, drain.clock),
    ...(drain.pausedBy === null ? [] : [wrapText(columns, 2, "paused    ", drain.pausedBy)]),
    toDecisionsText(columns, drain, now, {
      label: "now",
      waiting: drain.pausedBy === null ? toHaltedText(drain.lanes) : "paused",
      behind: [
        toGuardText(columns, drain.room.closedGuards),
        ...(decisions.drop > 0 && drain.archive === "missing"
          ? [wrapText(columns, 2, "archive   ", "none, so what would be dropped is held")]
          : []),
      ].join(""),
    }),
    toRulesText(columns, drain.rules, now, whyRulesWait(drain)),
    ...(drain.failures.top.length === 0 ? [] : [`\n${toFailureText(columns, drain.failures)}`]),
    toPlanLanesText(columns, drain.lanes),
    ...(estimate.publishes === 0 ? [] : [`\n${toEstimateText(columns, estimate, drain.room)}`]),
  ].join("");
}

/** Halted lanes are counted by destination, not by rule. */
function whyRulesWait({ pausedBy, lanes }: Pick<PlanReport["drains"][number], "pausedBy" | "lanes">): string {
  if (pausedBy !== null) return "paused";
  return toHaltedText(lanes) === "" ? "" : "see lanes";
}

function toFailureText(columns: number, { top, more }: SignatureCounts): string {
  const shown = top.slice(0, shownFailures);
  const hidden = top.slice(shownFailures);
  const rest = hidden.reduce((sum, { count }) => sum + count, more.count);
  return [
    failuresHeading,
    ...shown.flatMap(({ status, text, count, hosts, decisions, example = "" }) => [
      toFailureLine(columns, { status, text, count }),
      ...(example === "" ? [] : [wrapText(columns, 14, "such as ", example)]),
      wrapList(columns, 14, "", toItems(hosts), 0),
      wrapList(columns, 14, "", decisions.map(toItem), 0),
    ]),
    rest === 0 ? "" : toOtherFailures(rest, `${hidden.length + more.kinds} or more`),
  ].join("");
}

function toEstimateText(columns: number, estimate: Estimate, room: Room): string {
  const { durationMs, atLeast, boundBy, publishes, billed, calls } = estimate;
  const best = billed.best === billed.worst ? "" : `${billed.best} to `;
  const bills = `${best}${counted(billed.worst, "attempt")} for ${counted(publishes, "publish", "publishes")}`;
  return [
    "  doing it now\n",
    wrapList(columns, 4, "takes", [
      `${atLeast ? "at least" : "about"} ${formatDuration(Math.max(1_000, durationMs))} (${toBound(boundBy)})`,
      ...(atLeast ? ["longer by the steps of its lanes"] : []),
    ]),
    wrapList(columns, 4, "calls", [
      `${calls.list} list`,
      `${calls.publish} publish`,
      `${calls.remove} delete`,
    ]),
    wrapList(columns, 4, "bills", [bills]),
    toCeilingText(columns, room, estimate),
  ].join("");
}

function toBound(bound: Bound): string {
  switch (bound.kind) {
    case "day":
      return `perDay ${bound.limit}`;
    case "lane":
      return `lane ${bound.origin}`;
    case "calls":
      return "one call after the other";
    case "publish":
      return `publish ${rateText(bound.rate)}`;
    case "host":
      return `perHost ${rateText(bound.rate)} for ${bound.host}`;
    case "rule":
      return `rule ${bound.rule} ${rateText(bound.rate)}`;
  }
}
