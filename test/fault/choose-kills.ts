import type { Kill } from "./run-case.ts";

/** What a daemon does at its beginning is its work; the many passings after that are those of idle ticks. */
const latestPassing = 8;

/** How often each failpoint was passed, in the order of their first passing. */
export function countPassings(passed: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of passed) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/**
 * Chooses deaths, the same for the same seed and record: in rounds in which every failpoint comes once, each time at another passing of it, until
 * all were had.
 */
export function chooseKills(
  passings: ReadonlyMap<string, number>,
  kills: number,
  seed: number,
): readonly Kill[] {
  const random = createRandom(seed);
  const shuffled = <Thing>(things: readonly Thing[]): readonly Thing[] =>
    things
      .map((thing) => ({ thing, at: random() }))
      .toSorted((one, other) => one.at - other.at)
      .map(({ thing }) => thing);
  const rest = new Map<string, number[]>();
  const chosen: Kill[] = [];
  const names = [...passings.keys()].toSorted();
  while (chosen.length < kills && names.length > 0) {
    for (const name of shuffled(names).slice(0, kills - chosen.length)) {
      const left = rest.get(name) ?? [];
      if (left.length === 0) left.push(...shuffled(upTo(Math.min(passings.get(name) ?? 1, latestPassing))));
      rest.set(name, left);
      const passing = left.pop() ?? 1;
      chosen.push({ failpoint: `${name}#${passing}`, crash: random() < 0.5 ? "process" : "power" });
    }
  }
  return chosen;
}

function upTo(last: number): readonly number[] {
  return Array.from({ length: last }, (_, index) => index + 1);
}

/** Numbers in [0, 1), by Mulberry32. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
