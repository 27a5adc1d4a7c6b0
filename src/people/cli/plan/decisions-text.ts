/** The decisions of a plan in lines for a person, of a queue just read or of a plan's file. */
import type { RebuildRow } from "../../../job/message/describe-rebuild.ts";
import { toDecisionText } from "../../operations/plans/decision-text.ts";
import type { DecidedReport } from "../../plan/decided-count.ts";
import type { DrainReport } from "../../plan/plan-drain.ts";
import type { NextReport, RuleReport, SampleReport } from "../../plan/rule-report.ts";
import type { ExpiryReport } from "../../plan/expiry-count.ts";
import type { Counted, TopCounted } from "../../plan/top-count.ts";
import { formatDuration } from "../../../job/rules/durations.ts";
import { counted, ifAny, joined, toAge, toSpan } from "../../operations/phrases.ts";
import { wrapChange, wrapList, wrapText } from "../output/wrap.ts";

type Decisions = DecidedReport & Partial<Pick<DrainReport, "unusable" | "elsewhere">>;

/** `behind`: the lines below what is to be done. `waiting`: why due messages do not go; empty if they do. */
export function toDecisionsText(
  columns: number,
  { decisions, parkedAlready, byService, rules, unusable = {}, elsewhere = 0 }: Decisions,
  now: number,
  { label, behind = "", waiting = "" }: { label: string; behind?: string; waiting?: string },
): string {
  const isDiscard = rules.some(({ reasons }) => reasons.some(({ reason }) => reason === "discarded"));
  const acts = wrapList(columns, 2, label, [
    ifAny(decisions.republish, `republish${inBrackets(waiting)}`),
    ifAny(decisions.drop, isDiscard ? "discard" : "drop"),
    ifAny(decisions.park - parkedAlready, "park"),
    ifAny(decisions.settle, "delete again (published before)"),
  ]);
  const later = byThen(rules.flatMap(({ next }) => next));
  const turns = later.map(({ count, then, from, to }) => `${count} ${then} ${toSpan(from, to, now)}`);
  const turning = later.reduce((sum, { count }) => sum + count, 0);
  return joined(
    acts || wrapList(columns, 2, label, ["nothing to do"]),
    behind,
    wrapList(columns, 2, "via", [
      ifAny(byService, `by the service's own retry: ${counted(byService, "call")}, and no batch`),
    ]),
    wrapList(columns, 2, "later", turns),
    wrapList(columns, 2, "stays", [
      ifAny(decisions.hold - turning, "held"),
      ifAny(parkedAlready, "parked already"),
      ifAny(elsewhere, "in another drain's part"),
      ...Object.entries(unusable).map(([reason, count]) => ifAny(count, `unreadable (${reason})`)),
    ]),
  );
}

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
  if (earliestAt === null || (when === "soon" && expired + within24h === 0)) return "";
  return wrapList(columns, indent, "expires", [
    ifAny(expired, "past their retention"),
    ifAny(within1h, "within 1h"),
    // A number that equals the one before is left out.
    within6h !== within1h && ifAny(within6h, "within 6h"),
    within24h !== within6h && ifAny(within24h, "within 24h"),
    expired === 0 && `the first in ${formatDuration(earliestAt - now)}`,
  ]);
}

function toRuleText(columns: number, rule: RuleReport, now: number, waiting: string): string {
  const { oldestEnteredAt } = rule;
  const isOwn = (next: NextReport): boolean => next.then === "republish" && next.rule === rule.rule;
  const own = rule.next.filter(isOwn);
  const others = rule.next.filter((next) => !isOwn(next));
  const oldest = oldestEnteredAt === null ? "" : `, the oldest for ${toAge(oldestEnteredAt, now)}`;
  const toList = (label: string, items: readonly string[]): string => wrapList(columns, 4, label, items);
  return joined(
    `  ${rule.rule === null ? "no rule" : `rule ${rule.rule}`}: ${counted(rule.count, "record")}${oldest}\n`,
    toExpiryText(columns, 4, rule.expiry, now, "soon"),
    toList("due", [
      ifAny(rule.dueNow, `now${inBrackets(waiting)}`),
      ...own.map(({ count, from, to }) => `${count} ${toSpan(from, to, now)}`),
    ]),
    toList(
      "then",
      others.map((next) => `${next.count} ${toDecisionText(next)} ${toSpan(next.from, next.to, now)}`),
    ),
    toList(
      "why",
      rule.reasons.map(({ then, reason, count }) => `${then}: ${reason} ${count}`),
    ),
    toList("status", toItems(rule.statuses)),
    toList("hosts", toItems(rule.hosts)),
    toList("losses", rule.losses.map(toItem)),
    toSamplesText(columns, rule.samples),
  );
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

export function toItem({ key, count }: Counted<string>): string {
  return `${key} ${count}`;
}

export function toItems({ top, more }: TopCounted<string>): readonly string[] {
  return [...top.map(toItem), more.count === 0 ? "" : `${more.kinds} more ${more.count}`];
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
  const these = count === 1 ? "this one" : `all ${count} of these`;
  if (text !== "") return `        changes in ${these}\n`;
  return `        ${these} ${count === 1 ? "is" : "are"} sent unchanged\n`;
}

function toChangeText(columns: number, { what, change, before, after }: RebuildRow): string {
  switch (change) {
    case "added":
      return wrapText(columns, 10, "", `${what}: added, ${after ?? ""}`);
    case "removed":
      return wrapText(columns, 10, "", `${what}: removed, was ${before ?? ""}`);
    case "changed":
      if (before !== after) return wrapChange(columns, 10, what, before ?? "", after ?? "");
      return wrapText(columns, 10, "", `${what}: changed${inBrackets(before ?? "")}`);
  }
}
