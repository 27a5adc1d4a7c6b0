import type { ParkedDeadLetter } from "./ledger-entries.ts";

/** The entry that a page ended with. `keptUntil`: as the index had it, Unix ms. */
export interface ParkedPlace {
  readonly dlqId: string;
  readonly keptUntil: number;
}

/** `keptUntil`: when the ledger forgets it, if it is not listed again before. Unix ms by Redis's clock. */
export type ParkedInPage = ParkedDeadLetter & { readonly keptUntil: number };

export interface ParkedPage {
  readonly entries: readonly ParkedInPage[];
  /** Of the source. */
  readonly total: number;
  /** Null: there is no more. */
  readonly next: ParkedPlace | null;
}

/**
 * What one source has parked, page by page: those first that were listed longest ago. Guarantees: a page reads
 * no more entries than asked for, and changes nothing. An entry that is listed or released meanwhile may come
 * twice or not at all. Fails with `redis-unavailable`.
 */
export interface ParkedPages {
  page(after: ParkedPlace | null, limit: number): Promise<ParkedPage>;
}
