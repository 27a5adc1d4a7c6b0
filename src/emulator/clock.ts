// The year 9999 is the last that four digits can show; it is left for time to pass in.
const latestMove = Date.UTC(9999, 0) - 1;

/** The emulator's time: a base clock and the distance it was moved by. It only moves forward. */
export class EmulatorClock {
  /** The latest moment that the clock can be moved to. */
  static readonly latestMove = latestMove;
  readonly #base: { now(): number };
  #offsetMs = 0;
  readonly #listeners = new Set<() => void>();

  constructor(base: { now(): number }) {
    this.#base = base;
  }

  /** In whole milliseconds, whatever the base clock gives: ids are made of it. */
  now(): number {
    return Math.floor(this.#base.now() + this.#offsetMs);
  }

  /** Time without the moves: what a receiver's own clock says, which nobody moves. */
  base(): number {
    return this.#base.now();
  }

  /** Moves time; what became due by it happens before this returns or right after. */
  advance(ms: number): void {
    if (!(ms >= 0)) throw new RangeError(`a clock moves forward: expected ms >= 0, got ${ms}`);
    this.moveTo(this.now() + ms);
  }

  /** The same to a moment, Unix ms. One that has passed since somebody asked for the time moves nothing. */
  moveTo(moment: number): void {
    if (moment > latestMove) throw new RangeError("the clock can be moved up to the year 9998");
    this.#offsetMs += Math.max(0, moment - this.now());
    for (const listener of this.#listeners) listener();
  }

  onMoved(listener: () => void): void {
    this.#listeners.add(listener);
  }
}
