/** The emulator's time: a base clock and the distance it was moved by. It only moves forward. */
export class EmulatorClock {
  readonly #base: { now(): number };
  #offsetMs = 0;
  readonly #listeners = new Set<() => void>();

  constructor(base: { now(): number }) {
    this.#base = base;
  }

  now(): number {
    return this.#base.now() + this.#offsetMs;
  }

  /** Time without the moves: what a receiver's own clock says, which nobody moves. */
  base(): number {
    return this.#base.now();
  }

  /** Moves time; what became due by it happens before this returns or right after. */
  advance(ms: number): void {
    if (!(ms >= 0)) throw new RangeError(`a clock moves forward: expected ms >= 0, got ${ms}`);
    this.#offsetMs += ms;
    for (const listener of this.#listeners) listener();
  }

  onMoved(listener: () => void): void {
    this.#listeners.add(listener);
  }
}
