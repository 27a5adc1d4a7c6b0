const words = (
  "order invoice customer refund shipment retry tenant payload account region basket price item stock " +
  "delivery address voucher export import ledger balance session device report"
).split(" ");

// Text is cut from pools of this length: making it anew would take longer than all else.
const poolLength = 65_536;

/** Choices by one sequence of random numbers: the same sequence, the same choices. */
export class RandomChoice {
  readonly #random: () => number;
  readonly #characters: string;
  readonly #words: string;

  constructor(random: () => number) {
    this.#random = random;
    this.#characters = Array.from({ length: poolLength }, () => this.below(36).toString(36)).join("");
    this.#words = Array.from({ length: poolLength / 4 }, () => this.of(words)).join(" ");
  }

  chance(probability: number): boolean {
    return this.#random() < probability;
  }

  /** A whole number from 0 up to, not including, `end`. */
  below(end: number): number {
    return Math.floor(this.#random() * end);
  }

  of<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }

  /** The first of eight is taken about a third of the time, the last one in fifteen. */
  skewed<T>(list: readonly T[]): T {
    return list[Math.floor(list.length * this.#random() ** 2)]!;
  }

  /** By parts of 100. */
  weighted<Name extends string>(parts: Readonly<Record<Name, number>>): Name {
    let left = this.#random() * 100;
    for (const name of Object.keys(parts) as Name[]) {
      left -= parts[name];
      if (left < 0) return name;
    }
    throw new RangeError("the parts are less than 100");
  }

  /** Letters and digits; from 16 on, the same twice is as good as impossible. */
  token(length: number): string {
    // Half of it is drawn, the rest cut from the pool: one draw for every character would take longer than
    // all else.
    const drawn =
      this.below(2 ** 32)
        .toString(36)
        .padStart(7, "0") + this.below(36 ** 2).toString(36);
    return (drawn + this.#cut(this.#characters, length)).slice(0, length);
  }

  /** Exactly so many characters of ASCII that JSON does not escape. */
  text(length: number): string {
    return this.#cut(this.#words, length);
  }

  /** At most so many characters of base64; the bytes begin as a JPEG does, which is not UTF-8. */
  base64(length: number): string {
    const groups = Math.max(1, Math.floor(length / 4));
    return `/9j/${this.#cut(this.#characters, (groups - 1) * 4)}`;
  }

  #cut(pool: string, length: number): string {
    const from = this.below(pool.length);
    let text = pool.slice(from, from + length);
    while (text.length < length) text += pool.slice(0, length - text.length);
    return text;
  }
}
