import type { Decision } from "../../job/rules/decision.ts";
import { decideOne } from "../../job/page/sort-by-decision.ts";
import type { Candidate } from "../../job/page/records.ts";
import type { DrainRuntime } from "../../job/runtime.ts";
import type { SurveyedRecord } from "./list-and-decide.ts";

/** The decision about a held record that follows by time alone. */
export interface NextDecision {
  /** `expire`: its retention ends before any rule decides otherwise. */
  readonly then: Decision["then"] | "expire";
  readonly reason: string;
  readonly rule: string | null;
  /** Unix ms by the service's clock. */
  readonly at: number;
}

export interface ForeseenRecord extends SurveyedRecord {
  /** Null unless it is held until a time that is known. */
  readonly next: NextDecision | null;
  /** The message that is published then; null unless `next` is a republish. */
  readonly becomes: Candidate | null;
}

/** A record with more turns than this is decided only at the end of its wait. */
const maxTurns = 50;

/** Pure. Decides the record again at each moment at which time can change its decision. */
export function foresee(drain: DrainRuntime, record: SurveyedRecord): ForeseenRecord {
  return { ...record, ...nextDecision(drain, record) };
}

function nextDecision(drain: DrainRuntime, record: SurveyedRecord): Pick<ForeseenRecord, "next" | "becomes"> {
  const { expiresAt } = record.decided.facts;
  let held = record;
  let next: NextDecision | null = null;
  for (let turn = 0; turn <= maxTurns; turn += 1) {
    const at = turnOf(drain, held, turn < maxTurns);
    if (at === null) break;
    if (at >= expiresAt) {
      return { next: { then: "expire", reason: "retention", rule: null, at: expiresAt }, becomes: null };
    }
    held = decideAt(drain, held, at);
    const { then, reason, rule } = held.decided.decision;
    next = { then, reason, rule, at };
  }
  return { next, becomes: next === null ? null : held.candidate };
}

/** When the decision about a held record can change; null if it is not held, or nothing is known. Unix ms. */
function turnOf({ config }: DrainRuntime, { decided }: SurveyedRecord, isFine: boolean): number | null {
  const { decision, facts, view } = decided;
  if (decision.then !== "hold" || decision.until === undefined) return null;
  // While it cools, no rule is asked. Otherwise another rule may match before its wait is over.
  if (view.state === "cool" && view.dueAt > decided.viewedAt) return decision.until;
  if (!isFine) return decision.until;
  return Math.min(decision.until, config.route.heldUntil(facts) ?? Infinity);
}

function decideAt({ config, source }: DrainRuntime, { decided }: SurveyedRecord, at: number): SurveyedRecord {
  const { checkItem, headerPrefix, lineageKeys } = source;
  const clock = { now: () => at };
  const then = { clock, service: { clockOffsetMs: () => 0 }, checkItem, headerPrefix, lineageKeys };
  return decideOne(
    { config, source: then },
    { ...decided, viewedAt: decided.viewedAt + at - decided.facts.now },
  );
}
