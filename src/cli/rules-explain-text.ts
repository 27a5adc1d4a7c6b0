import type { LedgerView } from "../ports/ledger.ts";
import { formatDuration } from "../rules/format-duration.ts";
import type { ExplainedItem, ExplainedRecord, Explanation } from "./rules-explain.ts";
import { toTime } from "./plan-text.ts";
import { toWalkText } from "./rules-walk-text.ts";
import { wrapList, wrapText } from "./wrap.ts";
import { wrapWords } from "./wrap-words.ts";

/** The walk of one record through the rules, for a person, in 80 columns. */
export function toExplainText(explanation: Explanation): string {
  const { drain, mode, paused, dlqId, selected, record, problem, notes, rules, decision, becomes } =
    explanation;
  const inMode = paused ? `mode ${mode}, paused` : `mode ${mode}`;
  return [
    wrapText(0, "", `${dlqId} in drain ${drain} (${inMode})`),
    ...(record === null ? [] : [toRecordText(record)]),
    ...(problem === null ? [] : [told("unreadable", problem)]),
    told("ledger", toLedgerText(explanation.ledger)),
    ...(selected ? [] : [told("select", "this drain does not list it: none of this happens")]),
    ...notes.map((note) => told("note", note)),
    ...(record === null ? [] : [`\n${toWalkText(rules, explanation.otherwise)}`]),
    "\n",
    told("decision", explanation.explanation),
    ...(decision.until === undefined ? [] : [told("until", toTime(decision.until))]),
    ...(explanation.decidedByLedger ? [told("", "the ledger says so, whatever the rules would")] : []),
    ...(becomes === null ? [] : [`\n${toItemText(becomes)}`]),
  ].join("");
}

const labelWidth = 12;

function told(label: string, text: string): string {
  return wrapWords(2, label.padEnd(labelWidth), text);
}

function toRecordText(record: ExplainedRecord): string {
  const { url, failure, now, enteredAt, rootCreatedAt, expiresAt, attempt } = record;
  const { status, text, key } = failure;
  return [
    wrapText(2, "sent to".padEnd(labelWidth), url),
    told("failed", [String(status), text, `(${key})`].filter((part) => part !== "").join(" ")),
    told("entered", `${toTime(enteredAt)}, ${toSpan(now - enteredAt)}`),
    told("created", `${toTime(rootCreatedAt)}, ${toSpan(now - rootCreatedAt)}`),
    told("expires", `${toTime(expiresAt)}, ${toSpan(now - expiresAt)}`),
    told("redriven", attempt === 0 ? "never" : attempt === 1 ? "once" : `${attempt} times`),
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
      return `${view.unknown ? "outcome unknown" : "in flight"} since ${toTime(view.lastAt)}, drain ${view.drain}`;
    case "published":
      return `published as ${view.as}, not deleted yet`;
    case "archived":
      return `archived in ${view.file}, not deleted yet`;
    case "gone":
      return "gone: it was deleted";
    case "parked":
      return `parked: ${view.reason}, drain ${view.drain}`;
  }
}

function toItemText(item: ExplainedItem): string {
  if (item.kind === "park") return told("becomes", `nothing: it would be parked, ${item.reason}`);
  const rows = item.changes.map(({ what, before, after }) => {
    const line = `${what}: ${before ?? "(none)"} -> ${after ?? "(none)"}`;
    if (line.length <= 76) return wrapText(4, "", line);
    return `${wrapText(4, "", what)}${wrapText(6, "- ", before ?? "(none)")}${wrapText(6, "+ ", after ?? "(none)")}`;
  });
  return [
    rows.length === 0 ? told("becomes", "what it was") : "  becomes\n",
    ...rows,
    ...(item.losses.length === 0 ? [] : [wrapList(2, "losses", item.losses, labelWidth)]),
  ].join("");
}
