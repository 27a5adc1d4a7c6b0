import type { LedgerView } from "../../ports/ledger-entries.ts";
import { formatDuration } from "../../rules/durations.ts";
import type { Explanation } from "./explain.ts";
import { toTime } from "../output/words.ts";
import { wrapList, wrapText, wrapWords } from "../output/wrap.ts";
import type { RuleStep } from "../../rules/explain-rules.ts";

/** The walk of one record through the rules, for a person, in lines of so many columns. */
export function toExplainText(columns: number, explanation: Explanation): string {
  const { drain, mode, paused, dlqId, selected, record, problem, notes, rules, decision, becomes } =
    explanation;
  const inMode = paused ? `mode ${mode}, paused` : `mode ${mode}`;
  return [
    wrapText(columns, 0, "", `${dlqId} in drain ${drain} (${inMode})`),
    ...(record === null ? [] : [toRecordText(columns, record)]),
    ...(problem === null ? [] : [toField(columns, "unreadable", problem)]),
    toField(columns, "ledger", toLedgerText(explanation.ledger)),
    ...(selected ? [] : [toField(columns, "select", "this drain does not list it: none of this happens")]),
    ...notes.map((note) => toField(columns, "note", note)),
    ...(record === null ? [] : [`\n${toWalkText(columns, rules, explanation.otherwise)}`]),
    "\n",
    toField(columns, "decision", explanation.explanation),
    ...(decision.until === undefined ? [] : [toField(columns, "until", toTime(decision.until))]),
    ...(explanation.decidedByLedger ? [toField(columns, "", "the ledger decides this before any rule")] : []),
    ...(decision.then === "republish" ? [toField(columns, "", whenPublished)] : []),
    ...(becomes === null ? [] : [`\n${toItemText(columns, becomes)}`]),
  ].join("");
}

const whenPublished =
  "limits, guards and the lane of its destination are asked when it is published; redriver status shows their state";

const labelWidth = 12;

function toField(columns: number, label: string, text: string): string {
  return wrapWords(columns, 2, label.padEnd(labelWidth), text);
}

function toRecordText(columns: number, record: NonNullable<Explanation["record"]>): string {
  const { url, failure, answer, now, enteredAt, rootCreatedAt, expiresAt, attempt } = record;
  const { status, text, key } = failure;
  return [
    wrapText(columns, 2, "sent to".padEnd(labelWidth), url),
    toField(columns, "failed", [String(status), text, `(${key})`].filter((part) => part !== "").join(" ")),
    ...(answer === undefined ? [] : [wrapText(columns, 2, "answered".padEnd(labelWidth), answer)]),
    toField(columns, "entered", `${toTime(enteredAt)}, ${toSpan(now - enteredAt)}`),
    toField(columns, "created", `${toTime(rootCreatedAt)}, ${toSpan(now - rootCreatedAt)}`),
    toField(columns, "expires", `${toTime(expiresAt)}, ${toSpan(now - expiresAt)}`),
    toField(columns, "attempts", attempt === 0 ? "none" : String(attempt)),
  ].join("");
}

function toSpan(ms: number): string {
  return ms < 0 ? `in ${formatDuration(-ms)}` : `${formatDuration(ms)} ago`;
}

function toLedgerText(view: LedgerView | string): string {
  if (typeof view === "string") return `not asked: ${view}`;
  switch (view.state) {
    case "absent":
      return "nothing is known of it";
    case "cool":
      return `cool until ${toTime(view.dueAt)}${view.released === false ? "" : `, released ${view.released}`}`;
    case "open":
      return `${view.unknown ? "in doubt" : "in flight"} since ${toTime(view.lastAt)}, drain ${view.drain}`;
    case "published":
      return `published as ${view.as}, not deleted yet`;
    case "archived":
      return `archived in ${view.file}, not deleted yet`;
    case "gone":
      return "gone: it was deleted";
    case "parked":
      return `parked: ${view.reason}, drain ${view.drain}`;
    case "other-version":
      return "another version of redriver wrote what is known of it";
  }
}

function toItemText(columns: number, item: NonNullable<Explanation["becomes"]>): string {
  if (item.kind === "park") return toField(columns, "becomes", `nothing: it would be parked, ${item.reason}`);
  const rows = item.changes.map(({ what, before, after }) => {
    const line = `${what}: ${before ?? "(none)"} -> ${after ?? "(none)"}`;
    if (4 + line.length <= columns) return wrapText(columns, 4, "", line);
    return `${wrapText(columns, 4, "", what)}${wrapText(columns, 6, "- ", before ?? "(none)")}${wrapText(columns, 6, "+ ", after ?? "(none)")}`;
  });
  return [
    rows.length === 0 ? toField(columns, "becomes", "what it was") : "  becomes\n",
    ...rows,
    wrapList(columns, 2, "losses", item.losses, labelWidth),
  ].join("");
}

/** How each rule fared, from the top. Rules below the one that decided are named in one line. */
export function toWalkText(columns: number, steps: readonly RuleStep[], otherwise: string): string {
  const asked = steps.filter(({ outcome }) => outcome !== "not-reached");
  const notAsked = steps.filter(({ outcome }) => outcome === "not-reached").map(({ rule }) => rule);
  const held = steps.some(({ outcome }) => outcome === "held");
  return [
    "  rules\n",
    ...asked.map(({ rule, outcome, why }) => wrapWords(columns, 4, marks[outcome], `${rule}: ${why}`)),
    wrapList(columns, 4, "not asked", notAsked),
    ...(held ? [] : [`    ${"yes".padEnd(markWidth)}otherwise: ${otherwise}\n`]),
  ].join("");
}

const markWidth = 10;

const marks: Readonly<Record<RuleStep["outcome"], string>> = {
  held: "yes".padEnd(markWidth),
  failed: "no".padEnd(markWidth),
  ignored: "ignored".padEnd(markWidth),
  "not-reached": "not asked".padEnd(markWidth),
};
