import type { BeginVerdict } from "../../ports/ledger.ts";
import type { HoldReason } from "../../rules/decision.ts";
import type { DecidedRecord, HeldResult, LeftResult } from "./records.ts";

/** `until`: Unix ms. `why` adds detail to the reason. */
export function held<R extends DecidedRecord>(
  candidate: R,
  reason: HoldReason,
  until?: number,
  why?: string,
): HeldResult<R> {
  const { rule } = candidate.decision;
  return {
    kind: "held",
    candidate,
    decision: { then: "hold", reason, rule, ...(until === undefined ? {} : { until }) },
    ...(why === undefined ? {} : { why }),
  };
}

export function inDoubt<R extends DecidedRecord>(candidate: R): LeftResult<R> {
  return { kind: "in-doubt", candidate };
}

/** The result of a record that the ledger did not begin. */
export function notBegun<R extends DecidedRecord>(
  candidate: R,
  verdict: Exclude<BeginVerdict, { kind: "begun" }>,
): LeftResult<R> {
  switch (verdict.kind) {
    case "in-flight":
    case "other-version":
      return held(candidate, verdict.kind);
    case "past-horizon":
      return inDoubt(candidate);
    case "cooling":
      return held(candidate, "cooling", verdict.dueAt);
    case "parked":
      return { kind: "parked", candidate, decision: { then: "park", reason: verdict.reason, rule: null } };
    case "published":
    case "archived":
    case "gone":
      return { kind: "done-before", candidate };
  }
}
