import { bitsFor, hasBit, or, setBit, type Bits } from "./bits.ts";

// 64 bitmaps of 4,096 rows are 32 KB, twice the column of hashes itself.
const maxValues = 64;

// Two bits for each hash: 4,096 different values set at most a quarter of them, so 15 of 16 blocks in which a value
// does not occur are passed over.
const seenBits = 32_768;

/** Every row that may have a wanted value; or that none has; or that the hashes must be looked at row by row. */
export type Selected = Bits | "none" | "unknown";

/** Where in a block the values of one facet occur: a bitmap of rows for each value, while the values are few. */
export class FacetIndex {
  readonly #rows: number;
  #byHash: Map<number, Bits> | undefined = new Map();
  #seen: Bits | undefined;

  constructor(rows: number) {
    this.#rows = rows;
  }

  get bytes(): number {
    return (this.#byHash?.size ?? 0) * (this.#rows >>> 3) + (this.#seen?.byteLength ?? 0);
  }

  add(row: number, hash: number): void {
    if (this.#seen !== undefined) {
      see(this.#seen, hash);
      return;
    }
    let bits = this.#byHash!.get(hash);
    if (bits === undefined) {
      if (this.#byHash!.size === maxValues) {
        this.#giveUp(hash);
        return;
      }
      bits = bitsFor(this.#rows);
      this.#byHash!.set(hash, bits);
    }
    setBit(bits, row);
  }

  /** The answer may be `scratch`, written over. */
  select(hashes: ReadonlySet<number>, scratch: Bits): Selected {
    if (this.#seen !== undefined) {
      for (const hash of hashes) if (mayHaveSeen(this.#seen, hash)) return "unknown";
      return "none";
    }
    let isEmpty = true;
    for (const hash of hashes) {
      const bits = this.#byHash!.get(hash);
      if (bits === undefined) continue;
      if (hashes.size === 1) return bits;
      if (isEmpty) scratch.set(bits);
      else or(scratch, bits);
      isEmpty = false;
    }
    return isEmpty ? "none" : scratch;
  }

  #giveUp(hash: number): void {
    this.#seen = bitsFor(seenBits);
    for (const known of this.#byHash!.keys()) see(this.#seen, known);
    see(this.#seen, hash);
    this.#byHash = undefined;
  }
}

const lowBits = (hash: number): number => hash & (seenBits - 1);
const nextBits = (hash: number): number => (hash >>> 15) & (seenBits - 1);

function see(seen: Bits, hash: number): void {
  setBit(seen, lowBits(hash));
  setBit(seen, nextBits(hash));
}

const mayHaveSeen = (seen: Bits, hash: number): boolean =>
  hasBit(seen, lowBits(hash)) && hasBit(seen, nextBits(hash));
