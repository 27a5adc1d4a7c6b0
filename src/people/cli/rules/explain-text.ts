import { formatDuration } from "../../../job/rules/durations.ts";
import type { Explanation } from "../../operations/rules/explain.ts";
import { toLedgerText } from "../../operations/records/ledger-text.ts";
import { toAnswerText } from "../../read/answer-text.ts";
import { joined, toTime } from "../../operations/phrases.ts";
import { wrapChange, wrapList, wrapText, wrapWords } from "../output/wrap.ts";
import type { RuleStep } from "../../../job/rules/explain-rules.ts";

export function toExplainText(columns: number, explanation: Explanation): string {
  const { drain, mode, paused, dlqId, record, problem, rules, decision, becomes } = explanation;
  const inMode = paused ? `mode ${mode}, paused` : `mode ${mode}`;
  const field = (label: string, text: string): string => toField(columns, label, text);
  return joined(
    wrapText(columns, 0, "", `${dlqId} in drain ${drain} (${inMode})`),
    record && toRecordText(columns, record),
    problem !== null && field("unreadable", problem),
    field("ledger", toLedgerText(explanation.ledger)),
    !explanation.selected && field("select", "this drain does not list it: none of this happens"),
    ...explanation.notes.map((note) => field("note", note)),
    record && `\n${toWalkText(columns, rules, explanation.otherwise)}`,
    "\n",
    field("decision", explanation.explanation),
    decision.until !== undefined && field("until", toTime(decision.until)),
    explanation.decidedByLedger && field("", "the ledger decides this before any rule"),
    decision.then === "republish" && field("", whenPublished),
    becomes && `\n${toItemText(columns, becomes)}`,
  );
}

const whenPublished =
  "limits, guards and the lane of its destination are asked when it is published; redriver status shows their state";

const labelWidth = 12;

function toField(columns: number, label: string, text: string): string {
  return wrapWords(columns, 2, label.padEnd(labelWidth), text);
}

function toRecordText(columns: number, record: NonNullable<Explanation["record"]>): string {
  const { url, failure, answer, now, enteredAt, rootCreatedAt, expiresAt, attempt } = record;
  const toWhen = (at: number): string =>
    `${toTime(at)}, ${at > now ? `in ${formatDuration(at - now)}` : `${formatDuration(now - at)} ago`}`;
  return joined(
    wrapText(columns, 2, "sent to".padEnd(labelWidth), url),
    toField(columns, "failed", `${toAnswerText(failure)} (failure ${failure.id})`),
    answer !== undefined && wrapText(columns, 2, "answered".padEnd(labelWidth), answer),
    toField(columns, "entered", toWhen(enteredAt)),
    toField(columns, "created", toWhen(rootCreatedAt)),
    toField(columns, "expires", toWhen(expiresAt)),
    toField(columns, "attempts", attempt === 0 ? "none" : String(attempt)),
  );
}

function toItemText(columns: number, item: NonNullable<Explanation["becomes"]>): string {
  if (item.kind === "park") return toField(columns, "becomes", `nothing: it would be parked, ${item.reason}`);
  const { via, changes, losses } = item;
  if (via === "service") {
    return toField(columns, "becomes", "what it was, by the service's own retry: one call, no batch");
  }
  return joined(
    changes.length === 0 ? toField(columns, "becomes", "what it was") : "  becomes\n",
    ...changes.map(({ what, before, after }) =>
      wrapChange(columns, 4, what, before ?? "(none)", after ?? "(none)"),
    ),
    wrapList(columns, 2, "losses", losses, labelWidth),
  );
}

const marks: Readonly<Record<RuleStep["outcome"], string>> = {
  held: "yes       ",
  failed: "no        ",
  ignored: "ignored   ",
  "not-reached": "not asked ",
};

/** How each rule fared, from the top. Rules below the one that decided are named in one line. */
export function toWalkText(columns: number, steps: readonly RuleStep[], otherwise: string): string {
  const asked = steps.filter(({ outcome }) => outcome !== "not-reached");
  const notAsked = steps.filter(({ outcome }) => outcome === "not-reached").map(({ rule }) => rule);
  return joined(
    "  rules\n",
    ...asked.map(({ rule, outcome, why }) => wrapWords(columns, 4, marks[outcome], `${rule}: ${why}`)),
    wrapList(columns, 4, "not asked", notAsked),
    !steps.some(({ outcome }) => outcome === "held") && `    ${marks.held}otherwise: ${otherwise}\n`,
  );
}
