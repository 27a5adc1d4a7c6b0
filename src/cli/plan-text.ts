/** A plan for a person: what would be done, why, and what it would take. Fits its columns, but for single long words. */
import type { RebuildRow } from "../message/describe-rebuild.ts";
import type { DrainName } from "../ports/ids.ts";
import type { DrainReport } from "../redrive/plan/drain-report.ts";
import type { Bound, Estimate } from "../redrive/plan/estimate.ts";
import type { PlanFilter } from "../redrive/plan/plan-drain.ts";
import type { Room } from "../redrive/plan/room.ts";
import type { RuleReport, SampleReport } from "../redrive/plan/rule-report.ts";
import type { SignatureCounts } from "../redrive/plan/signature-count.ts";
import type { TopCounted } from "../redrive/plan/top-count.ts";
import { formatDuration } from "../rules/format-duration.ts";
import type { Rate } from "../rules/spec.ts";
import { counted } from "./counted.ts";
import { toCeilingText, toClockText, toGuardText } from "./plan-room-text.ts";
import { wrapList, wrapText } from "./wrap.ts";

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

/** Of `failures` in text; JSON has more. */
const shownSignatures = 8;

export function toPlanText(columns: number, report: PlanReport): string {
  const { filter, createdAt, complete } = report;
  const asked = [
    ...(filter.rules === undefined ? [] : [`rule ${filter.rules.join(" or ")}`]),
    ...(filter.host === undefined ? [] : [`host ${filter.host}`]),
    ...(filter.limit === undefined ? [] : [`at most ${counted(filter.limit, "record")} of a drain`]),
  ];
  return [
    `Plan of ${toTime(createdAt)}, document ${report.documentHash.slice(0, 12)}. Nothing was changed.\n`,
    ...(asked.length === 0 ? [] : [`Only: ${asked.join(", ")}\n`]),
    ...(complete ? [] : ["Stopped before all was looked at.\n"]),
    // Ages, and so what is said of them, go by the service's clock.
    ...report.drains.map(
      (drain) => `\n${toDrainText(columns, drain, createdAt + drain.clock.serviceAheadMs)}`,
    ),
  ].join("");
}

function toDrainText(columns: number, drain: PlanReport["drains"][number], now: number): string {
  const { decisions, parkedAlready, planned, listed, unusable, estimate } = drain;
  const later = drain.rules.reduce((sum, rule) => sum + rule.later, 0);
  const from = Math.min(...drain.rules.map((rule) => rule.laterFrom ?? Infinity));
  const to = Math.max(...drain.rules.map((rule) => rule.laterTo ?? -Infinity));
  const acts = [
    ifAny(decisions.republish, "republish"),
    ifAny(decisions.drop, "drop"),
    ifAny(decisions.park - parkedAlready, "park"),
    ifAny(decisions.settle, "delete again (published before)"),
  ].flat();
  const stays = [
    ifAny(decisions.hold - later, "held"),
    ifAny(parkedAlready, "parked already"),
    ...Object.entries(unusable).map(([reason, count]) => ifAny(count, `unreadable (${reason})`)),
  ].flat();
  const looked = `${listed === planned ? "" : `${planned} of `}${counted(listed, "record")}`;
  return [
    `${drain.drain} (mode ${drain.mode}) on ${drain.host}: ${looked}\n`,
    `  entered until ${toTime(drain.range.to)}${drain.cut ? "; the limit was reached, there may be more" : ""}\n`,
    toClockText(columns, drain.clock),
    ...(drain.pausedBy === null ? [] : [wrapText(columns, 2, "paused    ", drain.pausedBy)]),
    wrapList(columns, 2, "now", acts.length === 0 ? ["nothing to do"] : acts),
    toGuardText(columns, drain.room.closedGuards),
    ...(decisions.drop > 0 && drain.archive === "missing"
      ? [wrapText(columns, 2, "archive   ", "none, so what would be dropped is held")]
      : []),
    ...(later === 0 ? [] : [wrapList(columns, 2, "later", [`${later} (${toSpan(from, to, now)})`])]),
    ...(stays.length === 0 ? [] : [wrapList(columns, 2, "stays", stays)]),
    ...drain.rules.map((rule) => `\n${toRuleText(columns, rule, now)}`),
    ...(drain.failures.top.length === 0 ? [] : [`\n${toFailureText(columns, drain.failures)}`]),
    ...(estimate.publishes === 0 ? [] : [`\n${toEstimateText(columns, estimate, drain.room)}`]),
  ].join("");
}

function ifAny(count: number, what: string): readonly string[] {
  return count === 0 ? [] : [`${count} ${what}`];
}

function toRuleText(columns: number, rule: RuleReport, now: number): string {
  const { laterFrom, laterTo, oldestEnteredAt } = rule;
  const due = [
    ...(rule.dueNow === 0 ? [] : [`${rule.dueNow} now`]),
    ...(laterFrom === null || laterTo === null ? [] : [`${rule.later} ${toSpan(laterFrom, laterTo, now)}`]),
  ];
  const oldest =
    oldestEnteredAt === null ? "" : `, the oldest for ${formatDuration(Math.max(0, now - oldestEnteredAt))}`;
  return [
    `  ${rule.rule === null ? "no rule" : `rule ${rule.rule}`}: ${counted(rule.count, "record")}${oldest}\n`,
    ...(due.length === 0 ? [] : [wrapList(columns, 4, "due", due)]),
    wrapList(
      columns,
      4,
      "why",
      rule.reasons.map(({ then, reason, count }) => `${then}: ${reason} ${count}`),
    ),
    wrapList(columns, 4, "status", toItems(rule.statuses)),
    wrapList(columns, 4, "hosts", toItems(rule.hosts)),
    ...(rule.losses.length === 0
      ? []
      : [
          wrapList(
            columns,
            4,
            "losses",
            rule.losses.map(({ key, count }) => `${key} ${count}`),
          ),
        ]),
    toSamplesText(columns, rule.samples),
  ].join("");
}

/** Samples that change alike are shown together. */
function toSamplesText(columns: number, samples: readonly SampleReport[]): string {
  const alike = new Map<string, string[]>();
  for (const { dlqId, url, status, attempt, changes } of samples) {
    const text =
      changes.length === 0
        ? "        is sent as it was\n"
        : changes.map((row) => toChangeText(columns, row)).join("");
    const heads = alike.get(text) ?? [];
    heads.push(wrapText(columns, 6, "", `${dlqId} ${status ?? "none"} ${url}, redrive ${attempt}`));
    alike.set(text, heads);
  }
  if (alike.size === 0) return "";
  return `    samples\n${[...alike].map(([text, heads]) => `${heads.join("")}${text}`).join("")}`;
}

function toChangeText(columns: number, { what, change, before, after }: RebuildRow): string {
  switch (change) {
    case "added":
      return wrapText(columns, 8, "", `${what}: added, ${after ?? ""}`);
    case "removed":
      return wrapText(columns, 8, "", `${what}: removed, was ${before ?? ""}`);
    case "changed": {
      if (before === after)
        return wrapText(columns, 8, "", `${what}: changed${before === null ? "" : ` (${before})`}`);
      const line = `${what}: ${before ?? ""} -> ${after ?? ""}`;
      if (8 + line.length <= columns) return wrapText(columns, 8, "", line);
      return `${wrapText(columns, 8, "", what)}${wrapText(columns, 10, "- ", before ?? "")}${wrapText(columns, 10, "+ ", after ?? "")}`;
    }
  }
}

function toFailureText(columns: number, { top, more }: SignatureCounts): string {
  const shown = top.slice(0, shownSignatures);
  const hidden = top.slice(shownSignatures);
  const rest = hidden.reduce((sum, { count }) => sum + count, more.count);
  return [
    "  failures that look alike\n",
    ...shown.flatMap(({ status, text, count, hosts, decisions, example = "" }) => [
      wrapText(columns, 4, `${String(count).padEnd(9)} `, `${status} ${text}`),
      ...(example === "" ? [] : [wrapText(columns, 14, "such as ", example)]),
      wrapList(columns, 14, "", toItems(hosts), 0),
      wrapList(
        columns,
        14,
        "",
        decisions.map(({ key, count: times }) => `${key} ${times}`),
        0,
      ),
    ]),
    ...(rest === 0
      ? []
      : [`    ${String(rest).padEnd(9)} of ${hidden.length + more.kinds} or more other kinds\n`]),
  ].join("");
}

function toEstimateText(columns: number, estimate: Estimate, room: Room): string {
  const { durationMs, boundBy, publishes, billed, calls } = estimate;
  const best = billed.best === billed.worst ? "" : `${billed.best} to `;
  const bills = `${best}${counted(billed.worst, "attempt")} for ${counted(publishes, "publish", "publishes")}`;
  return [
    "  doing it now\n",
    wrapList(columns, 4, "takes", [
      `about ${formatDuration(Math.max(1_000, durationMs))} (${toBound(boundBy)})`,
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
    case "calls":
      return "one call after the other";
    case "publish":
      return `publish ${toRate(bound.rate)}`;
    case "host":
      return `perHost ${toRate(bound.rate)} for ${bound.host}`;
    case "rule":
      return `rule ${bound.rule} ${toRate(bound.rate)}`;
  }
}

function toRate({ count, perMs }: Rate): string {
  const unit = { 1_000: "s", 60_000: "m", 3_600_000: "h", 86_400_000: "d" }[perMs];
  return `${count}/${unit ?? formatDuration(perMs)}`;
}

function toItems({ top, more }: TopCounted<string>): readonly string[] {
  const items = top.map(({ key, count }) => `${key} ${count}`);
  return more.count === 0 ? items : [...items, `${more.kinds} more ${more.count}`];
}

function toSpan(from: number, to: number, now: number): string {
  const [first, last] = [from, to].map((at) => formatDuration(Math.max(0, at - now)));
  return first === last ? `in ${first}` : `in ${first} to ${last}`;
}

export function toTime(at: number): string {
  return new Date(at)
    .toISOString()
    .replace("T", " ")
    .replace(/\.\d+Z$/, " UTC");
}
