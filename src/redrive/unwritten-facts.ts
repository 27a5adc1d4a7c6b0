import type { Ledger, PublishedFact } from "../ports/ledger.ts";

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
  const kept: PublishedFact[] = [];
  return {
    keep(facts) {
      kept.push(...facts);
    },
    async replay(ledger) {
      while (kept.length > 0) {
        const page = kept.slice(0, pageSize);
        await ledger.published(page);
        kept.splice(0, page.length);
      }
    },
  };
}
