import type { Ledger, PublishedFact } from "../../ports/ledger.ts";

/**
 * Published facts that could not be written because Redis was away. The proof is in hand, so the delete goes on; the fact is
 * kept here and written when Redis answers. What is lost with the process is covered by the delete, or by lineage.
 */
export interface UnwrittenFacts {
  keep(facts: readonly PublishedFact[]): void;
  /** Writes what is kept; throws as the ledger does and then keeps it. */
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
      // By identity: two replays may run at once, and facts may be added meanwhile.
      while (kept.size > 0) {
        const page = [...kept].slice(0, pageSize);
        await ledger.published(page);
        for (const fact of page) kept.delete(fact);
      }
    },
  };
}
