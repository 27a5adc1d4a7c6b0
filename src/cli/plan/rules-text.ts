/** The decisions of a plan in lines for a person, of a queue just read or of a plan's file. */
import type { RebuildRow } from "../../message/describe-rebuild.ts";
import type { DecidedReport } from "../../redrive/plan/decided-count.ts";
import type { DrainReport } from "../../redrive/plan/plan-drain.ts";
import type { ExpiryReport, NextReport, RuleReport, SampleReport } from "../../redrive/plan/rule-report.ts";
import type { Counted, TopCounted } from "../../redrive/plan/top-count.ts";
import { formatDuration } from "../../rules/durations.ts";
import { counted } from "../output/counted.ts";
import { toSpan } from "../output/time.ts";
import { wrapList, wrapText } from "../output/wrap.ts";

type Decisions = DecidedReport & Partial<Pick<DrainReport, "unusable">>;

/** `behind` are the lines below what is to be done. `waiting`: why due messages do not go, in a few words. */
export function toDecisionsText(
  columns: number,
  { decisions, parkedAlready, rules, unusable = {} }: Decisions,
  now: number,
  {
    label,
    behind = "",
    waiting = "",
  }: { readonly label: string; readonly behind?: string; readonly waiting?: string },
): string {
  const acts = [
    ifAny(decisions.republish, `republish${inBrackets(waiting)}`),
    ifAny(decisions.drop, "drop"),
    ifAny(decisions.park - parkedAlready, "park"),
    ifAny(decisions.settle, "delete again (published before)"),
  ].flat();
  const later = byThen(rules.flatMap(({ next }) => next));
  const turns = later.map(({ count, then, from, to }) => `${count} ${then} ${toSpan(from, to, now)}`);
  const turning = later.reduce((sum, { count }) => sum + count, 0);
  const stays = [
    ifAny(decisions.hold - turning, "held"),
    ifAny(parkedAlready, "parked already"),
    ...Object.entries(unusable).map(([reason, count]) => ifAny(count, `unreadable (${reason})`)),
  ].flat();
  return [
    wrapList(columns, 2, label, acts.length === 0 ? ["nothing to do"] : acts),
    behind,
    wrapList(columns, 2, "later", turns),
    wrapList(columns, 2, "stays", stays),
  ].join("");
}

/** `waiting`: why due messages do not go, in a few words; empty if they do. */
export function toRulesText(
  columns: number,
  rules: readonly RuleReport[],
  now: number,
  waiting = "",
): string {
  return rules.map((rule) => `\n${toRuleText(columns, rule, now, waiting)}`).join("");
}

function inBrackets(text: string): string {
  return text === "" ? "" : ` (${text})`;
}

/** `soon`: nothing unless something expires within a day. */
export function toExpiryText(
  columns: number,
  indent: number,
  { expired, within1h, within6h, within24h, earliestAt }: ExpiryReport,
  now: number,
  when: "soon" | "always",
): string {
  if (earliestAt === null) return "";
  const soon = [
    ifAny(expired, "past their retention"),
    ifAny(within1h, "within 1h"),
    // A number that equals the one before is left out.
    within6h === within1h ? [] : ifAny(within6h, "within 6h"),
    within24h === within6h ? [] : ifAny(within24h, "within 24h"),
  ].flat();
  if (soon.length === 0 && when === "soon") return "";
  const first = expired > 0 ? [] : [`the first in ${formatDuration(earliestAt - now)}`];
  return wrapList(columns, indent, "expires", [...soon, ...first]);
}

function toRuleText(columns: number, rule: RuleReport, now: number, waiting: string): string {
  const { oldestEnteredAt } = rule;
  const own = rule.next.filter((next) => isOwnRepublish(next, rule.rule));
  const others = rule.next.filter((next) => !isOwnRepublish(next, rule.rule));
  const due = [
    ...ifAny(rule.dueNow, `now${inBrackets(waiting)}`),
    ...own.map(({ count, from, to }) => `${count} ${toSpan(from, to, now)}`),
  ];
  const turns = others.map(
    (next) => `${next.count} ${toDecisionText(next)} ${toSpan(next.from, next.to, now)}`,
  );
  const reasons = rule.reasons.map(({ then, reason, count }) => `${then}: ${reason} ${count}`);
  const oldest =
    oldestEnteredAt === null ? "" : `, the oldest for ${formatDuration(Math.max(0, now - oldestEnteredAt))}`;
  return [
    `  ${rule.rule === null ? "no rule" : `rule ${rule.rule}`}: ${counted(rule.count, "record")}${oldest}\n`,
    toExpiryText(columns, 4, rule.expiry, now, "soon"),
    wrapList(columns, 4, "due", due),
    wrapList(columns, 4, "then", turns),
    wrapList(columns, 4, "why", reasons),
    wrapList(columns, 4, "status", toItems(rule.statuses)),
    wrapList(columns, 4, "hosts", toItems(rule.hosts)),
    wrapList(columns, 4, "losses", rule.losses.map(toItem)),
    toSamplesText(columns, rule.samples),
  ].join("");
}

function isOwnRepublish({ then, rule }: NextReport, own: string | null): boolean {
  return then === "republish" && rule === own;
}

const plainReasons = new Set(["due", "rule", "reconcile"]);

/** `drop by too-old`, `park (redacted) by outage`: with the reason if the rule alone does not show why. */
export function toDecisionText({ then, reason, rule }: Pick<NextReport, "then" | "reason" | "rule">): string {
  if (then === "expire") return then;
  if (then === "settle") return "delete again";
  const head = plainReasons.has(reason) ? then : `${then} (${reason})`;
  return rule === null ? head : `${head} by ${rule}`;
}

/** Those of one decision together. What is held then as well is left out: it stays. */
function byThen(nexts: readonly NextReport[]): readonly Pick<NextReport, "then" | "count" | "from" | "to">[] {
  return (["republish", "drop", "park", "settle", "expire"] as const).flatMap((then) => {
    const some = nexts.filter((next) => next.then === then);
    if (some.length === 0) return [];
    const count = some.reduce((sum, one) => sum + one.count, 0);
    const from = Math.min(...some.map((one) => one.from));
    return [{ then, count, from, to: Math.max(...some.map((one) => one.to)) }];
  });
}

export function ifAny(count: number, what: string): readonly string[] {
  return count === 0 ? [] : [`${count} ${what}`];
}

/** `503 1000`. */
export function toItem({ key, count }: Counted<string>): string {
  return `${key} ${count}`;
}

export function toItems({ top, more }: TopCounted<string>): readonly string[] {
  const items = top.map(toItem);
  return more.count === 0 ? items : [...items, `${more.kinds} more ${more.count}`];
}

/** Samples that change alike are shown together, and below them what changes. */
function toSamplesText(columns: number, samples: readonly SampleReport[]): string {
  const alike = new Map<string, string[]>();
  for (const { dlqId, url, status, redrive, changes } of samples) {
    const text = changes.map((row) => toChangeText(columns, row)).join("");
    const heads = alike.get(text) ?? [];
    heads.push(wrapText(columns, 6, "", `${dlqId} ${status ?? "none"} ${url}, attempt ${redrive}`));
    alike.set(text, heads);
  }
  if (alike.size === 0) return "";
  return `    samples\n${[...alike].map(([text, heads]) => `${heads.join("")}${toChangesHeading(heads.length, text)}${text}`).join("")}`;
}

function toChangesHeading(count: number, text: string): string {
  if (text === "")
    return `        ${count === 1 ? "this one is" : `all ${count} of these are`} sent unchanged\n`;
  return `        ${count === 1 ? "changes in this one" : `changes in all ${count} of these`}\n`;
}

function toChangeText(columns: number, { what, change, before, after }: RebuildRow): string {
  switch (change) {
    case "added":
      return wrapText(columns, 10, "", `${what}: added, ${after ?? ""}`);
    case "removed":
      return wrapText(columns, 10, "", `${what}: removed, was ${before ?? ""}`);
    case "changed": {
      if (before === after)
        return wrapText(columns, 10, "", `${what}: changed${before === null ? "" : ` (${before})`}`);
      const line = `${what}: ${before ?? ""} -> ${after ?? ""}`;
      if (10 + line.length <= columns) return wrapText(columns, 10, "", line);
      return `${wrapText(columns, 10, "", what)}${wrapText(columns, 12, "- ", before ?? "")}${wrapText(columns, 12, "+ ", after ?? "")}`;
    }
  }
}
