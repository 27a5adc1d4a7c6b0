import type { DeadLetter } from "./dead-letter.ts";
import type { Filter } from "./dlq-query.ts";
import { facetOf, hashOf, labelsOf, type Facet } from "./facets.ts";
import type { KnownValues } from "./known-values.ts";

/** Filters in the form that runs over the columns of a block. */
export interface Scan {
  readonly wanted: readonly { readonly facet: Facet; readonly hashes: ReadonlySet<number> }[];
  /** Both ends are inside. */
  readonly created: { readonly low: number; readonly high: number } | undefined;
  /** Those that the record itself must be asked about: for the others its hashes are proof. */
  readonly unproven: readonly Filter[];
}

export function toScan(filters: readonly Filter[], created: Scan["created"], known: KnownValues): Scan {
  const wanted = filters.map(({ facet, values }) => ({
    facet,
    hashes: new Set([...values].map((value) => hashOf(value))),
  }));
  const unproven = filters.filter(({ facet, values }) =>
    [...values].some((value) => !known.isProof(facet, value)),
  );
  return { wanted, created, unproven };
}

/** The last word on a match: hashes of different values may be equal, the record itself is not mistaken. */
export function satisfies(record: DeadLetter, filters: readonly Filter[]): boolean {
  return filters.every(({ facet, values }) => {
    if (facet === "label") return labelsOf(record).some((label) => values.has(label));
    const value = facetOf(record, facet);
    return value !== undefined && values.has(value);
  });
}
