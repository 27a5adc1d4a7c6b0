/** A case that missed a time, or that nobody could judge, is run once more, alone. What broke a promise is not. */
import type { CaseKind } from "./run-matrix.ts";
import type { CaseResult } from "./run-case.ts";

type Judged = Pick<CaseResult, "kill" | "isTurnedUp" | "violations">;

/** The cases to run again; empty if anything was missed that no second try excuses. */
export function toTryAgain(results: readonly Judged[]): readonly CaseKind[] {
  const bad = results.filter(({ violations }) => violations.length > 0);
  if (bad.some(({ violations }) => violations.some(({ mayTryAgain }) => !mayTryAgain))) return [];
  return bad.map(({ kill, isTurnedUp }) => ({ kill, isTurnedUp }));
}
