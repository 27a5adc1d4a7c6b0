import type { StepRef } from "../contracts/lanes.ts";
import type { Candidate } from "../page/records.ts";

export function canariesByStep(
  candidates: readonly Candidate[],
): readonly (StepRef & { readonly canaries: readonly Candidate[] })[] {
  const steps = new Map<string, StepRef & { readonly canaries: Candidate[] }>();
  for (const one of candidates) {
    if (one.sendAs === null) continue;
    const { lane, step } = one.sendAs.step;
    const key = `${lane}.${step}`;
    const known = steps.get(key) ?? { lane, step, canaries: [] };
    known.canaries.push(one);
    steps.set(key, known);
  }
  return [...steps.values()];
}
