import type { StepRef } from "../contracts/lanes.ts";
import type { Letter } from "../page/letter.ts";

export function canariesByStep(
  letters: readonly Letter[],
): readonly (StepRef & { readonly canaries: readonly Letter[] })[] {
  const steps = new Map<string, StepRef & { readonly canaries: Letter[] }>();
  for (const one of letters) {
    if (one.sendAs === null) continue;
    const { lane, step } = one.sendAs.step;
    const key = `${lane}.${step}`;
    const known = steps.get(key) ?? { lane, step, canaries: [] };
    known.canaries.push(one);
    steps.set(key, known);
  }
  return [...steps.values()];
}
