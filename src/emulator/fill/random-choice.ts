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
