import type { Capacity } from "../../ports/limits.ts";

/** The same capacity; `onWait` is told how many of a query a rate makes wait, and in how many ms the first of them could be granted. */
export function tellingRateWaits(
  capacity: Capacity,
  onWait: (count: number, waitMs: number) => void,
): Capacity {
  return {
    async take(query) {
      const answer = await capacity.take(query);
      const turns = answer.verdicts.flatMap((one) => (one.kind === "wait" ? [one.until] : []));
      if (turns.length > 0) onWait(turns.length, Math.max(0, Math.min(...turns) - answer.at));
      return answer;
    },
    giveBack: (query, at) => capacity.giveBack(query, at),
    used: (of) => capacity.used(of),
  };
}
