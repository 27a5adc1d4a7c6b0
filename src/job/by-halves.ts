/** What breaks the work of many is found by halving them, until it is alone. */
import { isRedriverError } from "./contracts/errors.ts";

/**
 * Works all together. If that breaks on its input, each half is worked apart, until the one that breaks it is
 * alone: `alone` gets that one. What the failed work has done is done, so `work` must be fit to be repeated.
 * Any other failure is thrown. Answers what each part and each single one came to, in order.
 */
export async function byHalves<One, Result>(
  ones: readonly One[],
  work: (some: readonly One[]) => Promise<Result>,
  alone: (one: One, error: unknown) => Promise<Result>,
): Promise<readonly Result[]> {
  try {
    return [await work(ones)];
  } catch (error) {
    const [only, second] = ones;
    if (only === undefined || !isOfInput(error)) throw error;
    if (second === undefined) return [await alone(only, error)];
  }
  const middle = ones.length >> 1;
  return [
    ...(await byHalves(ones.slice(0, middle), work, alone)),
    ...(await byHalves(ones.slice(middle), work, alone)),
  ];
}

/** Its input may have caused it: refused, too long, too deep. Not the world: Redis, a file, a stop. */
export function isOfInput(error: unknown): boolean {
  if (isRedriverError(error)) return error.code === "invariant-broken";
  if (!(error instanceof Error)) return true;
  if (error.name === "AbortError" || error.name === "TimeoutError" || "syscall" in error) return false;
  return !/allocation failed|out of memory/i.test(error.message);
}
