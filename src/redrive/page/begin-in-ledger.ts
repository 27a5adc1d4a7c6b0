import type { BeginOptions, BeginVerdict } from "../../ports/ledger.ts";
import type { DrainRuntime } from "../runtime.ts";
import type { Begun, DecidedRecord } from "./records.ts";
import { held, inDoubt, type LeftResult } from "./results.ts";

/**
 * Takes the right to act on records and writes the intent, in one step. `attemptOf`: the redrives made once
 * this one is accepted. Answers the results of those not begun. Throws `redis-unavailable`; then nothing may
 * be sent.
 */
export async function begin<R extends DecidedRecord>(
  { config, source }: DrainRuntime,
  records: readonly R[],
  attemptOf: (record: R) => number,
  options: Omit<BeginOptions, "drain" | "rulesHash">,
): Promise<{ readonly begun: readonly Begun<R>[]; readonly results: readonly LeftResult<R>[] }> {
  const { name: drain, rulesHash } = config;
  const answer = await source.ledger.begin(
    records.map((record) => ({
      dlqId: record.letter.dlqId,
      messageId: record.letter.messageId,
      attempt: attemptOf(record),
    })),
    { ...options, drain, rulesHash },
  );
  if (answer.kind !== "answered") {
    return { begun: [], results: records.map((record) => held(record, answer.kind)) };
  }
  const begun: Begun<R>[] = [];
  const results: LeftResult<R>[] = [];
  for (const [index, candidate] of records.entries()) {
    const verdict = answer.verdicts[index];
    if (verdict?.kind === "begun") begun.push({ candidate, ...verdict });
    else if (verdict !== undefined) results.push(notBegun(candidate, verdict));
  }
  return { begun, results };
}

function notBegun<R extends DecidedRecord>(
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
