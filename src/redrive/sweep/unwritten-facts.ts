import type { Ledger, PublishedFact } from "../../ports/ledger.ts";

/**
 * Published facts that could not be written because Redis was away. The proof is in hand, so the delete goes on. The fact waits
 * here until Redis answers. If the process dies first, the delete or the lineage covers the loss.
 */
export interface UnwrittenFacts {
  keep(facts: readonly PublishedFact[]): void;
  /** Writes the facts. Throws as the ledger does, and then keeps them. */
  replay(ledger: Ledger): Promise<void>;
}

const pageSize = 100;

export function createUnwrittenFacts(): UnwrittenFacts {
  const kept = new Set<PublishedFact>();
  return {
    keep(facts) {
      for (const fact of facts) kept.add(fact);
    },
    async replay(ledger) {
      // By identity: two replays may run at once, and facts may be added during a write.
      while (kept.size > 0) {
        const page = [...kept].slice(0, pageSize);
        await ledger.published(page);
        for (const fact of page) kept.delete(fact);
      }
    },
  };
}
