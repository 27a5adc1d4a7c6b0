import { defined } from "../../../job/message/defined.ts";
import type { RawRecord } from "../../../job/message/dead-letter.ts";
import { describeRebuild } from "../../../job/message/describe-rebuild.ts";
import { toPrintable, type Show, toShownUrl } from "../../../job/message/show-masked-values.ts";
import { createSelectMatcher } from "../../../job/message/select.ts";
import { failureKindOf } from "../../../job/message/failure-kind.ts";
import { serviceNow } from "../../../job/contracts/service.ts";
import { lineageOf, type DrainRuntime } from "../../../job/door.ts";
import type { DrainConfig } from "../../../job/contracts/drains-document.ts";
import { withoutOwnHeaders } from "../../plan/plan-hashes.ts";
import type { Decision } from "../../../job/rules/decision.ts";
import { tryRecord, type Trial, type TrialConditions } from "./try-record.ts";

export interface ExplainConditions extends TrialConditions {
  readonly show: Show;
  /** Why the ledger was not asked; null if `view` is its answer. */
  readonly ledgerNotAsked: string | null;
  /** What else a reader should know of how this was found out. */
  readonly notes: readonly string[];
}

/** Why a record is decided as it is. Values are masked unless content is shown. */
export type Explanation = ReturnType<typeof explainRecord>;

export function explainRecord(drain: DrainConfig, raw: RawRecord, conditions: ExplainConditions) {
  const trial = tryRecord(drain, raw, conditions);
  const decided = trial.kind === "decided" ? trial : null;
  const { dlqId } = raw;
  return {
    drain: drain.name,
    mode: drain.mode,
    paused: drain.paused,
    dlqId: typeof dlqId === "string" ? toPrintable(dlqId) : "(none)",
    selected: createSelectMatcher(drain.select)(raw),
    /** What the ledger knows of it; a text: why it was not asked. */
    ledger: conditions.ledgerNotAsked ?? conditions.view,
    decision: withoutChanges(trial.decision),
    /** `hold: too-young (rule "outage", 40s of 2m)`. */
    explanation: trial.explanation,
    otherwise: drain.otherwise,
    notes: conditions.notes,
    record: decided === null ? null : toRecord(decided, conditions.show),
    problem: trial.kind === "unusable" ? trial.problem : null,
    /** How each rule fared; empty if no rule was asked. */
    rules: decided?.walk ?? [],
    /** Whether the ledger decided before any rule was asked: `rules` has what they would have decided. */
    decidedByLedger: decided !== null && isByLedger(decided),
    becomes: decided === null ? null : toItem(decided, conditions),
  };
}

/** With what the ledger has of it, as of `viewedAt`. Throws `redis-unavailable`. */
export async function explainNow(
  { config, source }: DrainRuntime,
  raw: RawRecord,
  known: Pick<ExplainConditions, "view" | "viewedAt" | "show">,
) {
  return explainRecord(config, raw, {
    ...known,
    now: serviceNow(source),
    lineage: await lineageOf(source, raw),
    headerPrefix: source.headerPrefix,
    lineageKeys: source.lineageKeys(),
    checkItem: source.checkItem,
    ledgerNotAsked: null,
    notes: [],
  });
}

type Decided = Extract<Trial, { kind: "decided" }>;

function toRecord({ letter, facts }: Decided, show: Show) {
  return {
    messageId: toPrintable(letter.messageId),
    url: toShownUrl(letter.url, show),
    status: letter.responseStatus ?? null,
    failure: failureKindOf(letter),
    /** The receiver's answer, at most 200 characters, only if content is shown. */
    ...(show === "content" && letter.responseBody !== "" ? { answer: toPrintable(letter.responseBody) } : {}),
    now: facts.now,
    enteredAt: letter.enteredAt,
    rootCreatedAt: facts.rootCreatedAt,
    expiresAt: facts.expiresAt,
    attempt: facts.attempt,
  };
}

/** A decision by the rules names the one that matched, or has the reason `otherwise`. */
function isByLedger({ decision, routing }: Decided): boolean {
  return decision.rule !== routing.rule || (decision.rule === null && decision.reason !== "otherwise");
}

/** Without what a rule sets: header values and parts of bodies. */
function withoutChanges(decision: Decision) {
  const { then, reason, rule } = decision;
  const until = decision.then === "hold" ? decision.until : undefined;
  const by = "by" in decision ? decision.by : undefined;
  return { then, reason, rule, ...defined({ until, by }) };
}

function toItem({ letter, becoming }: Decided, { headerPrefix, show }: ExplainConditions) {
  if (becoming?.kind !== "item") return becoming;
  const { via, item, losses } = becoming;
  if (via === "service") return { kind: "item" as const, via, changes: [], losses };
  return {
    kind: "item" as const,
    via,
    changes: describeRebuild(letter, item, { headerPrefix, show }),
    losses,
    ...(show === "content" ? { item: withoutOwnHeaders(item, headerPrefix) } : {}),
  };
}
