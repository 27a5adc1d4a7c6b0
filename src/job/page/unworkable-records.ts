import { BoundedSet } from "../../bounded-map.ts";

/** So many in a row, with nothing worked between them, are a fault of ours: more are held and not parked. */
const maxInARow = 10;
const maxRemembered = 1_000;

export function createUnworkableRecords() {
  const found = new BoundedSet<unknown>(maxRemembered);
  let inARow = 0;
  return {
    isAnyKnown: (): boolean => found.size > 0,
    isSuspect: ({ dlqId }: { readonly dlqId?: unknown }): boolean => found.has(dlqId),
    add(dlqId: unknown): { readonly isNew: boolean; readonly mayPark: boolean } {
      const isNew = !found.has(dlqId);
      found.add(dlqId);
      if (isNew) inARow += 1;
      return { isNew, mayPark: inARow <= maxInARow };
    },
    /** Others got through the same stage, or a whole page did. */
    worked(): void {
      inARow = 0;
    },
  };
}
