import { formatDuration } from "../../../job/rules/durations.ts";
import type { Explanation } from "../../operations/rules/explain.ts";
import { toLedgerText } from "../../operations/records/ledger-text.ts";
import { toAnswerText as toAnswer } from "../../read/answer-text.ts";
import { joined, toTime } from "../../operations/phrases.ts";
import { toAnswerText, toChangeText } from "../output/fields-text.ts";
import type { RuleStep } from "../../../job/rules/explain-rules.ts";

export function toExplainText(columns: number, explanation: Explanation): string {
  const { drain, mode, paused, dlqId, record, problem, rules, decision, becomes } = explanation;
  const inMode = paused ? `mode ${mode}, paused` : `mode ${mode}`;
  const verdict = `${dlqId} in drain ${drain} (${inMode}): ${explanation.explanation}`;
  const now = record?.now ?? 0;
  const view = {
    ...(record && toRecord(record)),
    unreadable: problem,
    ledger: toLedgerText(explanation.ledger),
    select: joined(!explanation.selected && "this drain does not list it: none of this happens"),
    note: explanation.notes.join("\n"),
    until: decision.until,
    "decided by": joined(explanation.decidedByLedger && "the ledger, before any rule"),
    published: joined(
      decision.then === "republish" &&
        "limits, guards and the lane of its destination are asked then; redriver status shows their state",
    ),
    ...(record && toWalk(rules, explanation.otherwise)),
    ...(becomes && toItem(becomes)),
  };
  return toAnswerText(columns, verdict, view, now);
}

function toRecord(record: NonNullable<Explanation["record"]>): object {
  const { url, failure, answer, now, enteredAt, rootCreatedAt, expiresAt, attempt } = record;
  const toWhen = (at: number): string =>
    `${toTime(at)}, ${at > now ? `in ${formatDuration(at - now)}` : `${formatDuration(now - at)} ago`}`;
  return {
    "sent to": url,
    failed: `${toAnswer(failure)} (failure ${failure.id})`,
    answered: answer,
    entered: toWhen(enteredAt),
    created: toWhen(rootCreatedAt),
    expires: toWhen(expiresAt),
    attempts: attempt === 0 ? "none" : attempt,
  };
}

function toItem(item: NonNullable<Explanation["becomes"]>): object {
  if (item.kind === "park") return { becomes: `nothing: it would be parked, ${item.reason}` };
  const { via, changes, losses } = item;
  if (via === "service") return { becomes: "what it was, by the service's own retry: one call, no batch" };
  const texts = changes.map(({ what, before, after }) =>
    toChangeText(what, before ?? "(none)", after ?? "(none)"),
  );
  return {
    becomes: texts.join("\n") || `what it was${losses.length === 0 ? "" : ", less its losses"}`,
    losses,
  };
}

const outcomes: Readonly<Record<Exclude<RuleStep["outcome"], "not-reached">, string>> = {
  held: "yes",
  failed: "no",
  ignored: "ignored",
};

/** How each rule fared, from the top. Rules below the one that decided are named in one line. */
export function toWalk(steps: readonly RuleStep[], otherwise: string): object {
  const asked = steps.flatMap(({ rule, outcome, why }) =>
    outcome === "not-reached" ? [] : [{ rule, matches: outcomes[outcome], why }],
  );
  const isOtherwise = !steps.some(({ outcome }) => outcome === "held");
  return {
    "not asked": steps.filter(({ outcome }) => outcome === "not-reached").map(({ rule }) => rule),
    rules: [...asked, ...(isOtherwise ? [{ rule: "otherwise", matches: "yes", why: otherwise }] : [])],
  };
}
