import type { Capacity, CapacityQuery } from "../contracts/capacity.ts";

/** While a page waits for a rate, none is listed ahead. With limits, the first page shows whether they leave room. */
export function watchRates(capacity: Capacity, hasLimits: boolean) {
  let leaveRoom = !hasLimits;
  let waiting = 0;
  return {
    areFree: (): boolean => leaveRoom && waiting === 0,
    ofPage(onWait?: () => Promise<void>) {
      let hasWaited = false;
      return {
        capacity: {
          ...capacity,
          async take(query: CapacityQuery) {
            const answer = await capacity.take(query);
            if (!hasWaited && answer.verdicts.some(({ kind }) => kind === "wait")) {
              hasWaited = true;
              waiting += 1;
              await onWait?.();
            }
            return answer;
          },
        },
        ended(): void {
          leaveRoom = !hasWaited;
          if (hasWaited) waiting -= 1;
        },
      };
    },
  };
}
