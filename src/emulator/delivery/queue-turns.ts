import { Line, type Leave } from "./line.ts";
import { Turns } from "./waiting-line.ts";

/**
 * The way through one queue. As many messages as its parallelism are between first attempt and end, in the order in
 * which they came. While it is paused, who has a turn keeps it and does not attempt.
 */
export class Lane {
  readonly #turns = new Turns(1);
  readonly #gate = new Line();
  #paused = false;

  get paused(): boolean {
    return this.#paused;
  }

  set paused(paused: boolean) {
    this.#paused = paused;
    while (!this.#paused) {
      const run = this.#gate.next();
      if (run === undefined) return;
      run();
    }
  }

  set parallelism(parallelism: number) {
    this.#turns.limit = parallelism;
  }

  /** Runs when it is the caller's turn, which is kept over all retries until `give`. */
  take(run: () => void): Leave {
    return this.#turns.take(run);
  }

  give(): void {
    this.#turns.give();
  }

  /** For who has a turn: runs as soon as the queue is not paused. */
  whenOpen(run: () => void): Leave {
    const leave = this.#gate.join(run);
    if (!this.#paused) this.#gate.next()?.();
    return leave;
  }
}
