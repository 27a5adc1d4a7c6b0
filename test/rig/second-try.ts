/**
 * A time or a rate that a busy machine missed is measured once more, without what ran beside it; everything else
 * stays as it was.
 */
import type { Figure, ScenarioResult } from "./figures.ts";

const missed = ({ figures }: ScenarioResult): readonly Figure[] => figures.filter(({ holds }) => !holds);

/** The names of the scenarios that missed times and rates and nothing else. */
export function toTryAgain(results: readonly ScenarioResult[]): ReadonlySet<string> {
  const some = results.filter(
    (result) => missed(result).length > 0 && missed(result).every(({ isTimed }) => isTimed),
  );
  return new Set(some.map(({ scenario }) => scenario));
}

/** The first results with those of the second try in their place, and what held only then. */
export function withSecondTry(
  first: readonly ScenarioResult[],
  second: readonly ScenarioResult[],
): { readonly results: readonly ScenarioResult[]; readonly passedAtSecondTry: readonly string[] } {
  const again = new Map(second.map((result) => [result.scenario, result]));
  const passed = first.flatMap((result) => {
    const now = again.get(result.scenario);
    if (now === undefined || missed(now).length > 0) return [];
    return missed(result).map(({ what, seen, limit }) => `${result.scenario}: ${what}: ${seen}, ${limit}`);
  });
  return { results: first.map((result) => again.get(result.scenario) ?? result), passedAtSecondTry: passed };
}
