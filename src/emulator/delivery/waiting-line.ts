import { Line, type Leave } from "./line.ts";

/** A bounded number of holders; who comes first is served first. */
export class Turns {
  #limit: number;
  #held = 0;
  readonly #line = new Line();

  constructor(limit: number) {
    this.#limit = limit;
  }

  set limit(limit: number) {
    this.#limit = limit;
    this.#admit();
  }

  /** Runs when it is the caller's turn, which may be before this returns, and which lasts until `give`. */
  take(run: () => void): Leave {
    const leave = this.#line.join(run);
    this.#admit();
    return leave;
  }

  give(): void {
    this.#held--;
    this.#admit();
  }

  #admit(): void {
    while (this.#held < this.#limit) {
      const run = this.#line.next();
      if (run === undefined) return;
      this.#held++;
      run();
    }
  }
}
