import type { Settings } from "../../../config/settings/settings.ts";
import type { BatchItem, RawRecord, UnusableRecord } from "../../../job/message/dead-letter.ts";
import { type CheckItem, createItemCheck } from "../../../job/message/item-policy.ts";
import type { Lineage } from "../../../job/message/lineage.ts";
import type { Loss } from "../../../job/message/loss-kinds.ts";
import type { ParkReason } from "../../../job/message/park-reasons.ts";
import type { DrainConfig, SourceConfig } from "../../../job/contracts/drains-document.ts";
import type { LedgerView } from "../../../job/contracts/ledger-entries.ts";
import { proofAddressOf } from "../../../job/message/proof-callback-url.ts";
import type { Letter, DecidingRuntime } from "../../../job/door.ts";
import { atTime, decideRecord, itemOf, prepareHeld } from "../../../job/door-pure.ts";
import { defined } from "../../../job/message/defined.ts";
import type { FindNewer } from "../../../job/rules/record-facts.ts";
import type { Decision, Routing } from "../../../job/rules/decision.ts";
import { explainDecision } from "../../../job/rules/explain-decision.ts";
import { explainRules } from "../../../job/rules/explain-rules.ts";

/** One record through the rules of a drain, by the same stages as a pass: read, decide, rebuild. Pure. */

export interface TrialConditions {
  /** Unix ms by the service's clock. */
  readonly now: number;
  readonly view: LedgerView;
  /** Redis time of the view, Unix ms. */
  readonly viewedAt: number;
  readonly lineage?: Lineage | null;
  readonly headerPrefix: string;
  readonly lineageKeys: readonly [string, ...string[]];
  readonly checkItem: CheckItem;
  readonly newer?: FindNewer | undefined;
}

/** The item that it would be published as; null if no rule republishes it. */
export type Becoming =
  | {
      readonly kind: "item";
      /** `service`: the service sends what it has, and the item only says where to. */
      readonly via: "batch" | "service";
      readonly item: BatchItem;
      readonly losses: readonly Loss[];
    }
  | { readonly kind: "park"; readonly reason: ParkReason };

export type Trial = ReturnType<typeof tryRecord>;

export function tryRecord(drain: DrainConfig, raw: RawRecord, conditions: TrialConditions) {
  const { now, view, viewedAt, lineage, headerPrefix, lineageKeys, checkItem, newer } = conditions;
  const source = atTime({ headerPrefix, lineageKeys: () => lineageKeys, checkItem }, now);
  const runtime: DecidingRuntime = { config: drain, source, ...defined({ newer }) };
  const decided = decideRecord(runtime, raw, { view, viewedAt, lineage });
  if ("unusable" in decided) return toUnusable(decided.unusable);
  const { letter, facts } = decided;
  const { decision } = letter;
  const routing = drain.route(facts);
  return {
    kind: "decided" as const,
    letter: letter.content,
    facts,
    decision,
    explanation: explainDecision(decision, facts),
    routing,
    walk: explainRules(drain.rules, facts),
    becoming: toBecoming(runtime, letter, routing),
  };
}

function toUnusable(problem: UnusableRecord | null) {
  const reason = problem?.reason ?? "malformed-record";
  const decision: Decision = { then: "park", reason, rule: null };
  return {
    kind: "unusable" as const,
    decision,
    explanation: explainDecision(decision),
    /** Names a field, without a value of the record. */
    problem: problem?.problem ?? "it is no record",
  };
}

/** A record that a rule republishes and that is held for now becomes the same thing later. */
function toBecoming(runtime: DecidingRuntime, letter: Letter, routing: Routing): Becoming | null {
  if (letter.item === null) {
    if (routing.then !== "republish" || letter.decision.then !== "hold") return null;
    const reason = prepareHeld(runtime, letter, routing);
    if (reason !== null) return { kind: "park", reason };
  }
  const { via, losses } = letter.due;
  return { kind: "item", via, item: itemOf(letter), losses };
}

/** What these settings let be published by a source; as its runtime has it, without building one. */
export function itemCheckOf(source: SourceConfig, { publish, service }: Settings): CheckItem {
  return createItemCheck(publish, service.headerPrefix, source.url ?? service.url, proofAddressOf(source));
}
