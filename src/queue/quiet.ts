import type { Clock } from "../ports/clock.ts";
import type { Failure } from "../ports/errors.ts";
import { quietMs } from "./policy.ts";

/** Answers whether a failure may be told now: of each code one in `quietMs`. */
export function createQuiet(clock: Pick<Clock, "monotonic">): (code: Failure["code"]) => boolean {
  const toldAt = new Map<string, number>();
  return (code) => {
    const now = clock.monotonic();
    const before = toldAt.get(code);
    if (before !== undefined && now - before < quietMs) return false;
    toldAt.set(code, now);
    return true;
  };
}
