import { explainDecision } from "../../rules/explain-decision.ts";
import type { RecordFacts } from "../../rules/record-facts.ts";
import { proofAddressOf } from "../../message/proof-callback-url.ts";
import { serviceNow, type DrainRuntime, type ServiceTime } from "../runtime.ts";
import { decideRecord, releasedBy } from "./decide.ts";
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

  const { headerPrefix, lineageKeys, checkItem } = drain.source;
  const { onLoss, lane, flowControl, source } = drain.config;
  const prepared = prepare(decided, decision.set, {
    headerPrefix,
    lineageKey: lineageKeys()[0],
    // The person who released it has seen its losses.
    onLoss: releasedBy(record.view) === "by-person" ? "republish" : onLoss,
    checkItem,
    lane,
    flowControl,
    proofAddress: proofAddressOf(source),
  });
  if (prepared.kind === "candidate") return { decided, candidate: prepared.candidate, facts };
  const parked = { then: "park", reason: prepared.reason, rule: decision.rule } as const;
  const explanation = explainDecision(parked, facts);
  return { decided: { ...decided, decision: parked, explanation }, candidate: null, facts };
}
