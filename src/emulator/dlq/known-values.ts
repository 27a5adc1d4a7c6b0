import { hashOf, type Facet } from "./facets.ts";

// A facet with more different values than this is looked up in the records themselves from then on.
const maxValues = 4_096;

/**
 * Which value a hash stands for, as long as the values of a facet are few. Where every record with a hash has the same
 * value, a match by hash is a match: no record has to be read to be sure.
 */
export class KnownValues {
  readonly #byFacet = new Map<Facet, Map<number, string>>();
  readonly #ambiguous = new Set<string>();

  /** To be told of every value that enters. */
  add(facet: Facet, hash: number, value: string): void {
    let values = this.#byFacet.get(facet);
    if (values === undefined) this.#byFacet.set(facet, (values = new Map()));
    const known = values.get(hash);
    if (known === undefined) {
      if (values.size < maxValues) values.set(hash, value);
    } else if (known !== value) this.#ambiguous.add(`${facet} ${hash}`);
  }

  /** Whether a record with the hash of this value has this value, and no other. */
  isProof(facet: Facet, value: string): boolean {
    const hash = hashOf(value);
    return this.#byFacet.get(facet)?.get(hash) === value && !this.#ambiguous.has(`${facet} ${hash}`);
  }
}
