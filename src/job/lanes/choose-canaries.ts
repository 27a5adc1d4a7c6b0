import { isKnownBad } from "../message/come-back-kind.ts";
import { toRootHash } from "../message/short-id.ts";
import type { LaneAnswer, StepRef } from "../contracts/lanes.ts";
import { signatureOf } from "../message/signature/signature-of.ts";
import type { Letter } from "../page/letter.ts";

type Choosable = Pick<
  Letter,
  "dlqId" | "messageId" | "enteredAt" | "lineage" | "responseStatus" | "responseBody" | "responseBodyBase64"
>;

/**
 * Chooses a lane's canaries: a sample with each kind of failure as often as the page has it, and old and young of
 * each. What was never redriven goes before come-backs, and what is known to be bad last. A message that was a
 * canary last, or is known to be bad, goes only if it may. Pure and deterministic.
 */
export function chooseCanaries<One extends Choosable>(
  letters: readonly One[],
  { canaries, avoid, mayRepeat }: Pick<LaneAnswer, "canaries" | "avoid" | "mayRepeat">,
): readonly One[] {
  const avoided = new Set(avoid);
  const isAvoided = ({ lineage }: One): boolean => avoided.has(toRootHash(lineage.rootId));
  const rankOf = (one: One): number =>
    (isKnownBad(one.lineage) ? 4 : 0) + (isAvoided(one) ? 2 : 0) + (isComeBack(one) ? 1 : 0);
  const lastRank = mayRepeat ? 7 : 1;
  const chosen: One[] = [];
  for (let rank = 0; rank <= lastRank && chosen.length < canaries; rank++) {
    const next = letters.filter((one) => rankOf(one) === rank);
    chosen.push(...sample(next, canaries - chosen.length));
  }
  return chosen;
}

function isComeBack({ messageId, lineage }: Choosable): boolean {
  return lineage.rootId !== messageId;
}

/** By failure and age, one from the middle of each of `count` equal parts: each kind has its share. */
function sample<One extends Choosable>(letters: readonly One[], count: number): readonly One[] {
  if (count >= letters.length) return letters;
  const sorted = letters
    .map((one) => ({ one, failure: signatureOf(one).key }))
    .toSorted(
      (a, b) =>
        compare(a.failure, b.failure) ||
        compare(a.one.enteredAt, b.one.enteredAt) ||
        compare(a.one.dlqId, b.one.dlqId),
    );
  return Array.from({ length: count }, (_, part) => {
    // (part + 0.5) * length / count, in whole numbers.
    return sorted[Math.floor(((2 * part + 1) * sorted.length) / (2 * count))]!.one;
  });
}

function compare<Value extends string | number>(one: Value, other: Value): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

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
