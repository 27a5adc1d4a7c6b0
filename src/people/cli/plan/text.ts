/** A plan for a person: what would be done, why, and what it would take; of a queue just read, or of a plan's file. */
import type { RebuildRow } from "../../../job/message/describe-rebuild.ts";
import type { FailureKind } from "../../../job/message/failure-kind.ts";
import type { PlanFilter } from "../../../job/contracts/plans.ts";
import { formatDuration } from "../../../job/rules/durations.ts";
import { toDestinationText } from "../../operations/destination-text.ts";
import {
  settledText,
  toDamageText,
  toDecisionText,
  toHold,
  toLeastText,
  toLost,
  toOtherLaneText,
  toThenText,
} from "../../operations/plans/decision-text.ts";
import type { PlanReport } from "../../operations/plans/freeze-plan.ts";
import { counted, ifAny, joined, present, toAge, toSpan, toTime } from "../../operations/phrases.ts";
import type { DecidedReport } from "../../plan/decided-count.ts";
import type { Estimate } from "../../plan/estimate.ts";
import type { ExpiryReport, NextReport, RuleReport } from "../../plan/rule-report.ts";
import type { ClosedGuard, Room } from "../../plan/guards-and-ceilings.ts";
import type { LaneWaits } from "../../plan/lane-waits.ts";
import type { DrainReport } from "../../plan/plan-drain.ts";
import type { Counted, TopCounted } from "../../plan/top-count.ts";
import { sumOf } from "../../read/totals.ts";
import { toAnswerText as toAnswer } from "../../read/answer-text.ts";
import { toAnswerText, toChangeText } from "../output/fields-text.ts";
import type { FrozenRange } from "../../../job/door.ts";
import { toNextStepText } from "../../operations/lane-words.ts";

export function toPlanText(columns: number, report: PlanReport): string {
  const { filter, createdAt, complete, damaged = [], drains } = report;
  const soFar = complete ? ": " : " stopped before all was read. So far: ";
  const verdict = `Plan of ${toTime(createdAt)}${soFar}${toSum(drains)}. ${toLost(damaged)}Nothing was changed.`;
  const head = {
    document: report.documentHash.slice(0, 12),
    ledger: joined(report.ledger === "none" && withoutLedger),
    ...toFilterFields(filter),
    damaged: damaged.map(toDamageText).join("\n"),
  };
  return joined(
    toAnswerText(columns, verdict, head, createdAt),
    ...drains.map((drain) => `\n${toDrainText(columns, drain, createdAt)}`),
  );
}

const withoutLedger =
  "none: without Redis (redis.url, REDRIVER_REDIS_URL) nobody knows what was already published, parked or paused";

/** Of all drains: what would be done at once, if nothing holds it. */
function toSum(drains: PlanReport["drains"]): string {
  const sum = (what: string, of: (drain: PlanReport["drains"][number]) => number): string =>
    ifAny(sumOf(drains, of), what);
  const acts = present([
    sum(`to send again${inBrackets(sum("held", toHeld))}`, ({ decisions }) => decisions.republish),
    sum("to drop", ({ decisions }) => decisions.drop),
    sum("to park", ({ decisions, parkedAlready }) => decisions.park - parkedAlready),
    sum(settledText, ({ decisions }) => decisions.settle),
  ]);
  const stay = sum("stay", ({ decisions, parkedAlready }) => decisions.hold + parkedAlready);
  return present([acts.join(", ") || "nothing to do", stay]).join("; ");
}

/** How many of what is due a pause, a guard or a halt holds. */
function toHeld(drain: PlanReport["drains"][number]): number {
  const { decisions, lanes } = drain;
  return toHold(drain)?.isAll === true ? decisions.republish : dueOfHalted(lanes);
}

export function toFilterFields({ rules, host, failure, limit, discard, fromArchive }: PlanFilter): object {
  return {
    only: present([
      rules && `rule ${rules.join(" or ")}`,
      host !== undefined && `host ${host}`,
      failure !== undefined && `failure ${failure}`,
      limit !== undefined && `at most ${counted(limit, "record")} of a drain`,
    ]),
    "from the archive": joined(
      fromArchive && "what it alone has is published again. What is held or parked stays there",
    ),
    "to discard": joined(
      discard && "an apply archives each first, then deletes it. Nothing of it is sent again",
    ),
  };
}

function toDrainText(columns: number, drain: PlanReport["drains"][number], createdAt: number): string {
  const { decisions, planned, listed, pausedBy, lanes, otherLanes = [], failures, room } = drain;
  // Ages go by the service's clock.
  const now = createdAt + drain.clock.serviceAheadMs;
  const looked = `${listed === planned ? "" : `${planned} of `}${counted(listed, "record")}`;
  const halting = dueOfHalted(lanes);
  const halted = ifAny(halting, `${halting === 1 ? "waits" : "wait"} for halted lanes`);
  // Halted lanes are counted by destination, not by rule.
  const ofRule = pausedBy !== null ? "paused" : halted && "or held by a halt, see lanes";
  const view = {
    entered: `until ${toTime(drain.range.to)}${drain.cut ? "; the limit was reached, there may be more" : ""}`,
    clock: toClock(drain.clock),
    paused: pausedBy,
    guard: toGuards(room.closedGuards),
    archive: joined(
      decisions.drop > 0 && drain.archive === "missing" && "none, so what would be dropped is held",
    ),
    ...toDecidedFields(drain, now, "now", pausedBy === null ? halted : "paused"),
    ...toRuleFields(drain.rules, now, ofRule),
    "failures that look alike": toFailureRows(failures.top, failures.more),
    ...(lanes !== null && lanes.lanes.length > 0 && toLanesFields(lanes)),
    "other drains": otherLanes.map((one) => toOtherLaneText(one, now)).join("\n"),
    publishes: toPublishes(drain.estimate, room, toHold(drain)),
  };
  return toAnswerText(columns, `${drain.drain} (mode ${drain.mode}) on ${drain.host}: ${looked}`, view, now);
}

/** `label`: of what would be done. `waiting`: why due messages do not go; empty if they do. */
export function toDecidedFields(
  {
    decisions,
    parkedAlready,
    byService,
    rules,
    expiry,
    unusable = {},
    elsewhere = 0,
  }: DecidedReport & Partial<Pick<DrainReport, "unusable" | "elsewhere">>,
  now: number,
  label: string,
  waiting = "",
): object {
  const isDiscard = rules.some(({ reasons }) => reasons.some(({ reason }) => reason === "discarded"));
  const later = byThen(rules.flatMap(({ next }) => next));
  const turning = sumOf(later, ({ count }) => count);
  const acts = present([
    ifAny(decisions.republish, `republish${inBrackets(waiting)}`),
    ifAny(decisions.drop, isDiscard ? "discard" : "drop"),
    ifAny(decisions.park - parkedAlready, "park"),
    ifAny(decisions.settle, settledText),
  ]);
  return {
    expires: toExpiry(expiry, now, "always"),
    [label]: acts.length === 0 ? "nothing to do" : acts,
    via: ifAny(byService, `by the service's own retry: ${counted(byService, "call")}, and no batch`),
    later: later.map(({ count, then, from, to }) => `${count} ${then} ${toSpan(from, to, now)}`),
    stays: present([
      ifAny(decisions.hold - turning, "held"),
      ifAny(parkedAlready, "parked already"),
      ifAny(elsewhere, "in another drain's part"),
      ...Object.entries(unusable).map(([reason, count]) => ifAny(count, `unreadable (${reason})`)),
    ]),
  };
}

/** `soon`: nothing unless something expires within a day. */
function toExpiry(expiry: ExpiryReport, now: number, when: "soon" | "always"): readonly string[] {
  const { expired, within1h, within6h, within24h, earliestAt } = expiry;
  if (earliestAt === null || (when === "soon" && expired + within24h === 0)) return [];
  return present([
    ifAny(expired, "past their retention"),
    ifAny(within1h, "within 1h"),
    // A number that equals the one before is left out.
    within6h !== within1h && ifAny(within6h, "within 6h"),
    within24h !== within6h && ifAny(within24h, "within 24h"),
    expired === 0 && `the first in ${formatDuration(earliestAt - now)}`,
  ]);
}

export function toRuleFields(rules: readonly RuleReport[], now: number, waiting = ""): object {
  const blocks = rules.map((rule) => {
    const { oldestEnteredAt } = rule;
    const isOwn = (next: NextReport): boolean => next.then === "republish" && next.rule === rule.rule;
    const oldest = oldestEnteredAt === null ? "" : `, the oldest for ${toAge(oldestEnteredAt, now)}`;
    const name = rule.rule === null ? "no rule" : `rule ${rule.rule}`;
    const fields = {
      expires: toExpiry(rule.expiry, now, "soon"),
      due: present([
        ifAny(rule.dueNow, `now${inBrackets(waiting)}`),
        ...rule.next.filter(isOwn).map(({ count, from, to }) => `${count} ${toSpan(from, to, now)}`),
      ]),
      then: rule.next
        .filter((next) => !isOwn(next))
        .map((next) => `${next.count} ${toDecisionText(next)} ${toSpan(next.from, next.to, now)}`),
      why: rule.reasons.map(({ then, reason, count }) => `${toThenText(then)}: ${reason} ${count}`),
      status: toItems(rule.statuses),
      hosts: toItems(rule.hosts),
      losses: rule.losses.map(toItem),
      samples: Object.fromEntries(rule.samples.map((sample) => [sample.dlqId, toSample(sample)])),
    };
    return [`${name}: ${counted(rule.count, "record")}${oldest}`, fields] as const;
  });
  return Object.fromEntries(blocks);
}

/** Those of one decision together. What is held then as well is left out: it stays. */
function byThen(nexts: readonly NextReport[]): readonly Pick<NextReport, "then" | "count" | "from" | "to">[] {
  return (["republish", "drop", "park", "settle", "expire"] as const).flatMap((then) => {
    const some = nexts.filter((next) => next.then === then);
    if (some.length === 0) return [];
    const count = sumOf(some, (one) => one.count);
    const [from, to] = [Math.min(...some.map((one) => one.from)), Math.max(...some.map((one) => one.to))];
    return [{ then, count, from, to }];
  });
}

function toItem({ key, count }: Counted<string>): string {
  return `${key} ${count}`;
}

function toItems({ top, more }: TopCounted<string>): readonly string[] {
  return [...top.map(toItem), ...(more.count === 0 ? [] : [`${more.kinds} more ${more.count}`])];
}

function toSample({ status, url, redrive, changes, losses }: RuleReport["samples"][number]): string {
  const head = `${status ?? "none"} ${url}, attempt ${redrive}${losses.length > 0 ? `, loses ${losses.join(", ")}` : changes.length === 0 ? ", sent unchanged" : ""}`;
  return [head, ...changes.map(toChange)].join("\n");
}

function toChange({ what, change, before, after }: RebuildRow): string {
  if (change === "added") return `${what}: added, ${after ?? ""}`;
  if (change === "removed") return `${what}: removed, was ${before ?? ""}`;
  if (before !== after) return toChangeText(what, before ?? "", after ?? "");
  return `${what}: changed${inBrackets(before ?? "")}`;
}

function inBrackets(text: string): string {
  return text === "" ? "" : ` (${text})`;
}

const shownFailures = 8;

type CountedKind = FailureKind & {
  readonly count: number;
  readonly decisions?: readonly Counted<string>[];
  readonly example?: string;
};

/** `more`: beyond these, as far as counted apart. */
export function toFailureRows(
  all: readonly CountedKind[],
  more: TopCounted<string>["more"],
): readonly object[] {
  const hidden = all.slice(shownFailures);
  const rest = sumOf(hidden, ({ count }) => count) + more.count;
  return [
    ...all.slice(0, shownFailures).map((failure) => ({
      failure: failure.id,
      records: failure.count,
      destination: toDestinationText(failure.origin),
      answer: toAnswer(failure),
      decided: failure.decisions?.map(({ key, count }) => `${toThenText(key)} ${count}`),
      "such as": failure.example,
    })),
    ...(rest > 0 ? [{ failure: `${hidden.length + more.kinds} or more other kinds`, records: rest }] : []),
  ];
}

/** Of the lanes that are shown. */
function dueOfHalted(waits: LaneWaits | null): number {
  return sumOf(waits?.lanes ?? [], ({ state, due }) => (state === "halted" ? due : 0));
}

function toLanesFields(waits: LaneWaits): object {
  const watch = formatDuration(waits.watchMs);
  return {
    [`lanes: a destination gets more when nothing failed again for ${watch}`]: toLaneRows(waits),
    apply: joined(
      waits.lanes.some(({ state }) => state !== "open") &&
        "sends each destination a few, waits for failures, and sends more. It leaves what would wait longer than 10m, and what waits for a destination that stays halted",
    ),
  };
}

/** Null if nothing is to be published, now or later. `hold`: of what is due. */
export function toPublishes(estimate: Estimate, room: Room, hold: ReturnType<typeof toHold>): object | null {
  const { publishes, later, least, destinations } = estimate;
  if (publishes + later === 0) return null;
  const { top, more } = destinations;
  const named = top.map((one) => ({
    ...one,
    destination: toDestinationText(one.origin),
    isHeld: hold?.holds(one.origin) === true,
  }));
  const others = { ...more, destination: `${more.destinations} more`, isHeld: hold?.isAll === true };
  return {
    limit: least && toLeastText(least),
    ...toCeilings(room, estimate),
    to: [...named, ...(more.destinations > 0 ? [others] : [])].map((one) => ({
      destination: one.destination,
      now: one.isHeld ? 0 : one.publishes,
      ...(hold !== null && { [`held by ${hold.by}`]: one.isHeld ? one.publishes : 0 }),
      ...(later > 0 && { later: one.later }),
    })),
  };
}

/** Clocks that differ by less concern nobody. */
const shownFromMs = 60_000;

function toClock({ serviceAheadMs, unseenMs }: FrozenRange["clock"]): string {
  if (Math.abs(serviceAheadMs) < shownFromMs) return "";
  const isBehind = serviceAheadMs < 0;
  const where = `${formatDuration(Math.abs(serviceAheadMs))} ${isBehind ? "behind" : "ahead of"}`;
  return joined(
    `the service's is ${where} this machine's; ages go by the service's`,
    !isBehind && "; a pass gets to what has just entered so much later",
    unseenMs > 0 && `; what entered in the last ${formatDuration(unseenMs)} is left out`,
  );
}

function toGuards(guards: readonly ClosedGuard[]): string {
  const texts = guards.map(({ index, field, why, value, holdsAt, resumesAt }) => {
    const isRead = why === "reading";
    const reading = isRead ? `${field} is ${value} (` : `no fresh reading of ${field} (whenStale: hold; `;
    return `closed, so nothing new is published: index ${index}, ${reading}holds ${holdsAt}, resumes ${resumesAt})`;
  });
  return texts.join("\n");
}

function toCeilings({ perDay, perPass }: Room, { passes, days }: Pick<Estimate, "passes" | "days">) {
  const used = perPass?.usedByOpenPass ?? null;
  return {
    perPass: present([
      passes > 1 && `a drain left to itself needs ${passes} passes or more`,
      used !== null && `the open pass has used ${used} of ${perPass?.limit}`,
    ]),
    perDay: present([
      perDay && `${perDay.used} of ${perDay.limit} used today (UTC)`,
      perDay &&
        (perDay.left > 0 ? `${perDay.left} left` : `nothing left for ${formatDuration(perDay.endsInMs)}`),
      perDay && days > 1 && `spread over ${days} days or more`,
    ]),
  };
}

export function toLaneRows({ lanes, more }: LaneWaits): readonly object[] {
  return [
    ...lanes.map(({ due, kept, sinceMs, why, ...lane }) => ({
      lane: toDestinationText(lane.origin),
      due,
      state: sinceMs === null ? "new" : `${lane.state} for ${formatDuration(sinceMs)}`,
      next: lane.state === "open" ? "" : toNextStepText(lane),
      why: why === "new" ? "" : why,
      "held, not parked": kept > 0 ? `${kept} without attempts left` : "",
    })),
    ...(more.lanes > 0 ? [{ lane: counted(more.lanes, "more lane"), due: more.due }] : []),
  ];
}
