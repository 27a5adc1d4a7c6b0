/** One operation to be timed; what it answers is thrown away. */
export interface Operation {
  readonly name: string;
  run(): Promise<unknown>;
}

export interface Timing {
  readonly name: string;
  readonly medianMs: number;
  readonly p95Ms: number;
}

/** Times operations in turn, so that whatever else the machine does meets all of them alike. */
export async function timeInTurn(operations: readonly Operation[], rounds: number): Promise<Timing[]> {
  const times = operations.map((): number[] => []);
  // The first tenth warms up.
  const warmUp = Math.ceil(rounds / 10);
  for (let round = -warmUp; round < rounds; round++) {
    for (const [at, operation] of operations.entries()) {
      const startedAt = performance.now();
      await operation.run();
      if (round >= 0) times[at]!.push(performance.now() - startedAt);
    }
  }
  return operations.map(({ name }, at) => {
    const sorted = times[at]!.toSorted((a, b) => a - b);
    return { name, medianMs: quantile(sorted, 0.5), p95Ms: quantile(sorted, 0.95) };
  });
}

export const median = (values: readonly number[]): number =>
  quantile(
    values.toSorted((a, b) => a - b),
    0.5,
  );

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
