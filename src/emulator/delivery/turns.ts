/** A bounded number of holders; who comes first is served first. */
export class Turns {
  #limit: number;
  #held = 0;
  #waiting: (() => void)[] = [];
  #served = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  set limit(limit: number) {
    this.#limit = limit;
    this.#admit();
  }

  /** Resolves when it is the caller's turn, which lasts until `give`. */
  take(): Promise<void> {
    if (this.#held < this.#limit) {
      this.#held++;
      return Promise.resolve();
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  give(): void {
    this.#held--;
    this.#admit();
  }

  #admit(): void {
    while (this.#held < this.#limit && this.#served < this.#waiting.length) {
      this.#held++;
      this.#waiting[this.#served++]!();
    }
    // Served entries are dropped in bulk: shifting one by one costs the whole line each time.
    if (this.#served > 1_024 && this.#served * 2 > this.#waiting.length) {
      this.#waiting = this.#waiting.slice(this.#served);
      this.#served = 0;
    }
  }
}
