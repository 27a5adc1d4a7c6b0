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
}

/** Decides one record. One that cannot be rebuilt or may not be published becomes a park. Changes nothing. */
export function decideOne({ config, source }: DecidingRuntime, record: KnownRecord): DecidedOne {
  const { decision, facts } = decideRecord(config, record, serviceNow(source));
  const decided: DecidedRecord = {
    raw: record.raw,
    letter: record.letter,
    reading: record.reading,
    view: record.view,
    viewedAt: record.viewedAt,
    mayBeForgotten: record.mayBeForgotten,
    isNewComeBack: record.isNewComeBack,
    attempt: facts.attempt,
    decision,
    facts,
  };
  if (decision.then !== "republish") return { decided, candidate: null };

  const prepared = prepare(decided, decision.set, {
    headerPrefix: source.headerPrefix,
    lineageKey: source.lineageKeys()[0],
    // The person who released it has seen its losses.
    onLoss: releasedBy(record.view) === "by-person" ? "republish" : config.onLoss,
    checkItem: source.checkItem,
    lane: config.lane,
    flowControl: config.flowControl,
    proofAddress: proofAddressOf(config.source),
  });
  if (prepared.kind === "candidate") return { decided, candidate: prepared.candidate };
  const parked = { then: "park", reason: prepared.reason, rule: decision.rule } as const;
  return { decided: { ...decided, decision: parked }, candidate: null };
}
