import type { Loss } from "../../message/losses.ts";
import type { ParkReason } from "../../message/park-reasons.ts";
import type { RawRecord } from "../../message/dead-letter.ts";
import { describeRebuild, type RebuildRow } from "../../message/describe-rebuild.ts";
import { toPrintable, type Show } from "../../message/masked-text.ts";
import { toShownUrl } from "../../message/shown-url.ts";
import { createSelectMatcher } from "../../message/select.ts";
import type { DrainConfig } from "../../ports/drains.ts";
import type { LedgerView } from "../../ports/ledger-entries.ts";
import { withoutOwnHeaders } from "../../redrive/plan/content-hash.ts";
import type { Decision } from "../../rules/decision.ts";
import type { RuleStep } from "../../rules/explain-rules.ts";
import { signatureOf, type Signature } from "../../message/signature/signature-of.ts";
import { tryRecord, type Becoming, type Trial, type TrialConditions } from "./trial.ts";

export interface ExplainConditions extends TrialConditions {
  readonly show: Show;
  /** Why the ledger was not asked; null when `view` is what it says. */
  readonly ledgerNotAsked: string | null;
  /** What else a reader should know of how this was found out. */
  readonly notes: readonly string[];
}

export interface ToldDecision {
  readonly then: Decision["then"];
  readonly reason: string;
  readonly rule: string | null;
  /** Of a hold, where known: Unix ms. */
  readonly until?: number;
}

/** Why a record is decided as it is. Values are masked unless content is shown. */
export interface Explanation {
  readonly drain: string;
  readonly mode: "plan" | "live";
  readonly paused: boolean;
  readonly dlqId: string;
  /** Whether the drain's select lists it. */
  readonly selected: boolean;
  /** What the ledger knows of it; a text: why it was not asked. */
  readonly ledger: LedgerView | string;
  readonly decision: ToldDecision;
  /** `hold: too-young (rule "outage", 40s of 2m)`. */
  readonly explanation: string;
  /** Null for a record that cannot be read. */
  readonly record: ExplainedRecord | null;
  /** What is wrong with a record that cannot be read. */
  readonly problem: string | null;
  /** How each rule fared; empty where no rule was asked. */
  readonly rules: readonly RuleStep[];
  readonly otherwise: "hold" | "park";
  /** Whether the ledger decided before any rule was asked: `rules` says what they would have. */
  readonly decidedByLedger: boolean;
  readonly becomes: ExplainedItem | null;
  readonly notes: readonly string[];
}

export interface ExplainedRecord {
  readonly messageId: string;
  readonly url: string;
  /** Null without an HTTP answer. */
  readonly status: number | null;
  readonly failure: Signature;
  /** The receiver's answer, at most 200 characters, only where content is shown. */
  readonly answer?: string;
  /** Unix ms. */
  readonly now: number;
  readonly enteredAt: number;
  readonly rootCreatedAt: number;
  readonly expiresAt: number;
  /** Redrives already made that count. */
  readonly attempt: number;
}

export type ExplainedItem =
  | {
      readonly kind: "item";
      readonly changes: readonly RebuildRow[];
      readonly losses: readonly Loss[];
      /** Complete, only where content is shown. */
      readonly item?: object;
    }
  | { readonly kind: "park"; readonly reason: ParkReason };

export function explainRecord(
  drain: DrainConfig,
  raw: RawRecord,
  conditions: ExplainConditions,
): Explanation {
  const trial = tryRecord(drain, raw, conditions);
  const { dlqId } = raw;
  const common = {
    drain: drain.name,
    mode: drain.mode,
    paused: drain.paused,
    dlqId: typeof dlqId === "string" ? toPrintable(dlqId) : "(none)",
    selected: createSelectMatcher(drain.select)(raw),
    ledger: conditions.ledgerNotAsked ?? conditions.view,
    decision: withoutChanges(trial.decision),
    explanation: trial.explanation,
    otherwise: drain.otherwise,
    notes: conditions.notes,
  };
  if (trial.kind === "unusable") {
    const { problem } = trial;
    return { ...common, record: null, problem, rules: [], decidedByLedger: false, becomes: null };
  }
  return {
    ...common,
    record: toRecord(trial, conditions.show),
    problem: null,
    rules: trial.walk.steps,
    decidedByLedger: isByLedger(trial),
    becomes: trial.becoming === null ? null : toItem(trial, trial.becoming, conditions),
  };
}

type Decided = Extract<Trial, { kind: "decided" }>;

function toRecord({ letter, facts }: Decided, show: Show): ExplainedRecord {
  return {
    messageId: toPrintable(letter.messageId),
    url: toShownUrl(letter.url, show),
    status: letter.responseStatus ?? null,
    failure: signatureOf(letter),
    ...(show === "content" && letter.responseBody !== "" ? { answer: toPrintable(letter.responseBody) } : {}),
    now: facts.now,
    enteredAt: letter.enteredAt,
    rootCreatedAt: facts.rootCreatedAt,
    expiresAt: facts.expiresAt,
    attempt: facts.attempt,
  };
}

/** A decision by the rules names the one that held, or says that none did. */
function isByLedger({ decision, walk }: Decided): boolean {
  return decision.rule !== walk.routing.rule || (decision.rule === null && decision.reason !== "otherwise");
}

/** Without what a rule sets: header values and parts of bodies. */
function withoutChanges(decision: Decision): ToldDecision {
  const { then, reason, rule } = decision;
  const until = decision.then === "hold" ? decision.until : undefined;
  return { then, reason, rule, ...(until === undefined ? {} : { until }) };
}

function toItem(
  { letter }: Decided,
  becoming: Becoming,
  { headerPrefix, show }: ExplainConditions,
): ExplainedItem {
  if (becoming.kind === "park") return becoming;
  const { item, losses } = becoming;
  return {
    kind: "item",
    changes: describeRebuild(letter, item, { headerPrefix, show }),
    losses,
    ...(show === "content" ? { item: withoutOwnHeaders(item, headerPrefix) } : {}),
  };
}
