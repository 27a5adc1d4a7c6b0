import type { DlqId, RawRecord } from "../../src/job/message/dead-letter.ts";
import {
  findRecords,
  type Finding,
  type SearchBudget,
  type Wanted,
} from "../../src/job/listing/find-records.ts";
import type { SourceRuntime } from "../../src/job/runtime.ts";

const never = new AbortController().signal;

export function lookBudget(source: SourceRuntime, callsLeft = 1_000): SearchBudget {
  return {
    callsLeft,
    endsAt: source.clock.monotonic() + 60_000,
    waits: { leftMs: 0, signal: never },
    dates: { isPassed: false },
  };
}

/** Everything that looking for these shows, together. */
export async function findAll(
  source: SourceRuntime,
  wanted: readonly Wanted[],
  budget = lookBudget(source),
): Promise<{
  readonly records: readonly RawRecord[];
  readonly absent: readonly DlqId[];
  readonly findings: readonly Finding[];
}> {
  const findings: Finding[] = [];
  for await (const finding of findRecords(source, wanted, budget, never)) findings.push(finding);
  return {
    records: findings.flatMap(({ records }) => records),
    absent: findings.flatMap(({ absent }) => absent),
    findings,
  };
}
