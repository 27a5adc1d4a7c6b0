/** How a drain went on, from the times at which something moved. Pure. */

/** Both ends in Unix ms. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * The longest time without a move between `from` and `to`, ms, less what `stops` take of it: while a replica
 * is stopped from outside, its share of the work waits.
 */
export function longestStallMs(moves: readonly number[], { from, to }: Span, stops: readonly Span[]): number {
  const times = [from, ...moves.filter((at) => at > from && at < to).toSorted((a, b) => a - b), to];
  return Math.max(
    0,
    ...times.slice(1).map((end, index) => {
      const begin = times[index]!;
      return end - begin - stops.reduce((sum, stop) => sum + overlapMs({ from: begin, to: end }, stop), 0);
    }),
  );
}

const overlapMs = (one: Span, other: Span): number =>
  Math.max(0, Math.min(one.to, other.to) - Math.max(one.from, other.from));
