/**
 * A letter that breaks a stage is found by halving those that the stage was given, until it is alone:
 *
 *   stage ─┬─ ended ──► the next stage
 *          └─ broke ──► each half again ─► … ─► alone ─┬─► parked: unworkable, with the error's code
 *                                                      └─► held: unworkable, if that fails too
 *
 * So a stage must be fit to be repeated: it passes over letters that have a fate, and gives a fate only after its
 * last write. What a failed try has begun, the ledger knows: such letters are in flight for 60 s at most. What a
 * gate has granted stays in its letter, and is not asked for again.
 */
import { byHalves } from "../by-halves.ts";
import type { DrainRuntime } from "../runtime.ts";
import type { Letter } from "./letter.ts";
import { putLetterAside } from "./put-aside.ts";

/**
 * Works letters in one stage, puts aside those that break it, and answers the others. Throws what none has caused.
 */
export async function apart(
  drain: DrainRuntime,
  readAt: number,
  letters: readonly Letter[],
  stage: (some: readonly Letter[]) => unknown,
): Promise<readonly Letter[]> {
  const aside = new Set<Letter>();
  await eachApart(drain, letters, stage, async (letter, error) => {
    aside.add(letter);
    await putLetterAside(drain, letter, readAt, error);
  });
  return aside.size === 0 ? letters : letters.filter((letter) => !aside.has(letter));
}

/** The same for whatever has an id. One found before is worked alone, so that it breaks no others again. */
export async function eachApart<One extends { readonly dlqId?: unknown }>(
  { source: { unworkable } }: DrainRuntime,
  ones: readonly One[],
  stage: (some: readonly One[]) => unknown,
  alone: (one: One, error: unknown) => Promise<void>,
): Promise<void> {
  if (ones.length === 0) return;
  const suspects = unworkable.isAnyKnown() ? ones.filter(unworkable.isSuspect) : [];
  const others = suspects.length === 0 ? ones : ones.filter((one) => !unworkable.isSuspect(one));
  for (const together of [others, ...suspects.map((one) => [one])]) {
    if (together.length === 0) continue;
    const work = async (some: readonly One[]): Promise<void> => {
      await stage(some);
      if (some !== together) unworkable.worked();
    };
    await byHalves(together, work, alone);
  }
}
