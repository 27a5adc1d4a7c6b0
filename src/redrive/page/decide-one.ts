import { type RecordFacts, explainDecision } from "../../rules/decision.ts";
import { proofAddressOf } from "../callbacks/canary-callbacks.ts";
import { serviceNow, type DrainRuntime, type ServiceTime } from "../runtime.ts";
import { decideRecord } from "./decide.ts";
import { prepare } from "./prepare.ts";
import type { Candidate, DecidedRecord, KnownRecord } from "./records.ts";

/** The parts of a drain at work that a decision needs. */
export interface DecidingRuntime {
  readonly config: DrainRuntime["config"];
  readonly source: ServiceTime & Pick<DrainRuntime["source"], "headerPrefix" | "lineageKeys" | "checkItem">;
}

export interface DecidedOne {
  readonly decided: DecidedRecord;
  readonly candidate: Candidate | null;
  /** The facts that the rules saw. */
  readonly facts: RecordFacts;
}

/** Decides one record. One that cannot be rebuilt or may not be published becomes a park. Changes nothing. */
export function decideOne(drain: DecidingRuntime, record: KnownRecord): DecidedOne {
  const { decision, facts } = decideRecord(drain.config, record, serviceNow(drain.source));
  const decided: DecidedRecord = {
    ...record,
    attempt: facts.attempt,
    decision,
    explanation: explainDecision(decision, facts),
  };
  if (decision.then !== "republish") return { decided, candidate: null, facts };

  const prepared = prepare(decided, decision.set, {
    headerPrefix: drain.source.headerPrefix,
    lineageKey: drain.source.lineageKeys()[0],
    // The person who released it has seen its losses.
    onLoss: isReleased(record) ? "republish" : drain.config.onLoss,
    checkItem: drain.source.checkItem,
    lane: drain.config.lane,
    flowControl: drain.config.flowControl,
    proofAddress: proofAddressOf(drain.config.source),
  });
  if (prepared.kind === "candidate") return { decided, candidate: prepared.candidate, facts };
  const parked = { then: "park", reason: prepared.reason, rule: decision.rule } as const;
  return {
    decided: { ...decided, decision: parked, explanation: explainDecision(parked, facts) },
    candidate: null,
    facts,
  };
}

function isReleased({ view }: KnownRecord): boolean {
  return (view.state === "cool" || view.state === "open") && view.released === "by-person";
}
