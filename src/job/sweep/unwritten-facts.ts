import { byHalves } from "../by-halves.ts";
import type { Ledger, PublishedFact } from "../contracts/ledger.ts";

const pageSize = 100;

/** They wait here while Redis is away. If the process dies first, the delete or the lineage covers the loss. */
export function createUnwrittenFacts() {
  const kept = new Set<PublishedFact>();
  return {
    keep(facts: readonly PublishedFact[]): void {
      for (const fact of facts) kept.add(fact);
    },
    async replay(ledger: Ledger): Promise<void> {
      // By identity: two replays may run at once, and facts may be added during a write.
      while (kept.size > 0) {
        const page = [...kept].slice(0, pageSize);
        await byHalves(
          page,
          async (some) => void (await ledger.published(some)),
          // One that the ledger never takes would hold up all others for ever.
          () => Promise.resolve(),
        );
        for (const fact of page) kept.delete(fact);
      }
    },
  };
}
