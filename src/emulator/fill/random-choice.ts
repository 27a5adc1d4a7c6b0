const tokenPool = 65_536;

/** Choices by one sequence of random numbers: the same sequence, the same choices. */
export class Choice {
  readonly #random: () => number;
  #tokens = "";

  constructor(random: () => number) {
    this.#random = random;
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
  weighted<const T>(parts: readonly (readonly [value: T, part: number])[]): T {
    let left = this.#random() * 100;
    for (const [value, part] of parts) {
      left -= part;
      if (left < 0) return value;
    }
    return parts.at(-1)![0];
  }

  /** Letters and digits; from 16 on, the same twice is as good as impossible. */
  token(length: number): string {
    const start = this.below(tokenPool - length);
    // Half of it is drawn, the rest cut from a pool: one draw for every character would take longer than all else.
    const drawn =
      this.below(2 ** 32)
        .toString(36)
        .padStart(7, "0") + this.below(36 ** 2).toString(36);
    return (drawn + this.#pool().slice(start, start + length)).slice(0, length);
  }

  #pool(): string {
    if (this.#tokens !== "") return this.#tokens;
    const characters = Array.from({ length: tokenPool }, () => this.below(36).toString(36));
    return (this.#tokens = characters.join(""));
  }
}

const words = (
  "order invoice customer refund shipment retry tenant payload account region basket price item stock " +
  "delivery address voucher export import ledger balance session device report"
).split(" ");

const poolLength = 65_536;

/** Text and bytes to fill records up with, cut from one pool each: making them anew would take longer than the rest. */
export class Filler {
  readonly #choice: Choice;
  readonly #words: string;
  readonly #base64: string;

  constructor(choice: Choice) {
    this.#choice = choice;
    let text = "";
    while (text.length < poolLength) text += `${choice.of(words)} `;
    this.#words = text.slice(0, poolLength);
    const bytes = Buffer.from(Array.from({ length: (poolLength / 4) * 3 }, () => choice.below(256)));
    this.#base64 = bytes.toString("base64");
  }

  /** Exactly so many characters of ASCII that JSON does not escape. */
  text(length: number): string {
    return cut(this.#words, this.#choice.below(poolLength), length);
  }

  /** At most so many characters of base64; the bytes begin as a JPEG does, which is not UTF-8. */
  base64(length: number): string {
    const groups = Math.max(1, Math.floor(length / 4));
    return `/9j/${cut(this.#base64, this.#choice.below(poolLength / 4) * 4, (groups - 1) * 4)}`;
  }
}

function cut(pool: string, from: number, length: number): string {
  let text = pool.slice(from, from + length);
  while (text.length < length) text += pool.slice(0, length - text.length);
  return text;
}
