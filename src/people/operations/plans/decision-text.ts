import type { ArchiveDamage } from "../../../job/contracts/archive.ts";
import type { PlanApplyDrain } from "../../../job/contracts/plans.ts";
import type { OtherLane } from "../../read/lane-standings.ts";
import { sumOf } from "../../read/totals.ts";
import { toDestinationText } from "../destination-text.ts";
import { counted, ifAny, number, present, toClock } from "../phrases.ts";
import type { Select } from "../../../job/message/select.ts";
import { formatDuration } from "../../../job/rules/durations.ts";
import { rateText } from "../../../job/rules/patterns/parse-rate.ts";
import type { LeastTime } from "../../plan/estimate.ts";
import type { LaneWaits } from "../../plan/lane-waits.ts";
import type { NextReport, RuleReport } from "../../plan/rule-report.ts";
import { skippedOf, type Skip, type SkipReport } from "../../plan/skipped-by-apply.ts";

/** Of what is settled: its proof is there, and it is listed still. */
export const settledText = "sent or dropped before (only the delete is left)";

export function toThenText(then: string): string {
  return then === "settle" ? settledText : then;
}

const plainReasons = new Set(["due", "rule", "reconcile", "from-archive"]);

/** `drop by too-old`, `park (redacted) by outage`: with the reason if the rule alone does not show why. */
export function toDecisionText({ then, reason, rule }: Pick<NextReport, "then" | "reason" | "rule">): string {
  if (then === "expire") return then;
  if (then === "settle") return settledText;
  if (reason === "in-flight") return "under way";
  if (reason === "discarded") return "discard";
  const head = plainReasons.has(reason) ? then : `${then} (${reason})`;
  return rule === null ? head : `${head} by ${rule}`;
}

export function toLost(damaged: readonly ArchiveDamage[]): string {
  if (damaged.length === 0) return "";
  const isKnown = damaged.every(({ entries }) => entries !== null);
  const lost = isKnown ? counted(damaged.length, "entry", "entries") : "an unknown number of entries";
  return `Not whole: ${lost} of the archive cannot be read. `;
}

export function toDamageText({ file, why }: ArchiveDamage): string {
  return `${file}: ${why}`;
}

/** `1795211964826-0: republish by outage → republish by blackout`. */
export function toSkipText({ dlqId, why, was, is }: Skip): string {
  const before = toDecisionText(was);
  const after = is === undefined ? why : toDecisionText(is);
  return `${dlqId}: ${before} → ${after === before ? "would be sent differently" : after}`;
}

/** `2 gone, 1 changed, 3 decided otherwise`; empty if nothing was skipped. */
export function toSkipCounts({ gone, begun = 0, changed, otherwise }: Omit<SkipReport, "examples">): string {
  return present([
    ifAny(gone, begun > 0 ? `gone (${begun} begun before, not proven)` : "gone"),
    ifAny(changed, "changed"),
    ifAny(otherwise, "decided otherwise"),
  ]).join(", ");
}

/** `5 done before or meanwhile`: by others, or sent by others and only deleted by this apply. */
export function toDoneText(before: number, meanwhile: number): string {
  return ifAny(before + meanwhile, meanwhile > 0 ? "done before or meanwhile" : "done before");
}

/** Of an apply that has ended: `nothing was sent: 5 done before`; null: it did something, or some is left. */
export function toNothing(drains: readonly PlanApplyDrain[], isDiscard: boolean): string | null {
  if (drains.some(({ phase, done, left }) => phase !== "ended" || done + left > 0)) return null;
  const [before, meanwhile, skipped] = [
    sumOf(drains, (one) => one.before),
    sumOf(drains, (one) => one.meanwhile ?? 0),
    sumOf(drains, (one) => skippedOf(one.skipped)),
  ];
  const why =
    present([toDoneText(before, meanwhile), ifAny(skipped, "skipped")]).join(", ") ||
    "the plan has nothing to do";
  return `nothing was ${isDiscard ? "discarded" : "sent"}: ${why}`;
}

/** What fails again has no topic, so a drain that asks for one does not list it. Empty if that is of none. */
export function toTopicLossText(
  { drain, rules }: { readonly drain: string; readonly rules: readonly Pick<RuleReport, "losses">[] },
  { topicName }: Select,
): string {
  const lost = rules.flatMap(({ losses }) => losses.filter(({ key }) => key === "group-membership"));
  if (topicName === undefined || lost.length === 0) return "";
  return `${number(sumOf(lost, ({ count }) => count))} of ${drain} lose their topic (URL Group), which ${drain} selects by: what fails again is not listed by ${drain}, but by a drain that asks for no topic, if there is one.`;
}

/** A shorter time is no news: a lane alone watches for a minute. */
const shownLeastMs = 60_000;

/** `20,400 for api.example.com at 10/s: at least 34m`; null: the limit takes no time worth a word. */
export function toLeastText({ kind, name, publishes, rate, ms }: LeastTime): string | null {
  if (ms < shownLeastMs) return null;
  const of = kind === "host" ? ` for ${name}` : kind === "rule" ? ` of rule ${name}` : "";
  return `${number(publishes)}${of} at ${rateText(rate)}: at least ${formatDuration(ms)}`;
}

interface OfHold {
  readonly pausedBy: string | null;
  readonly room: { readonly closedGuards: readonly unknown[] };
  readonly lanes: LaneWaits | null;
}

/** What held what is due when the plan was made: all of it, or what goes to halted destinations. Null: nothing did. */
export function toHold({ pausedBy, room, lanes }: OfHold) {
  if (pausedBy !== null) return { by: "a pause", isAll: true, holds: () => true } as const;
  if (room.closedGuards.length > 0) return { by: "a guard", isAll: true, holds: () => true } as const;
  const halted = (lanes?.lanes ?? []).filter(({ state, due }) => state === "halted" && due > 0);
  if (halted.length === 0) return null;
  const holds = (of: string | null): boolean => halted.some(({ origin }) => origin === of);
  return { by: "a halt", isAll: false, holds } as const;
}

/** `the lane of drain pay for api.example.com is halted since 06:06 UTC: 5 of 5 failed again, 503`. */
export function toOtherLaneText({ drain, origin, state, since, why }: OtherLane, now: number): string {
  const where = `the lane of drain ${drain} for ${toDestinationText(origin)}`;
  if (state === "halted") return `${where} is halted since ${toClock(since, now)}: ${why}`;
  return `${where} waits for what it has sent, since ${toClock(since, now)}`;
}
