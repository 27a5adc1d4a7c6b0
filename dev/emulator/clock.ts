import { bisect } from "./bisect.ts";

// The year 9999 is the last that four digits can show; it is left for time to pass in.
const latestMove = Date.UTC(9999, 0) - 1;

interface Task {
  readonly dueAt: number;
  /** Of two that are due at once, the one that came first runs first. */
  readonly order: number;
  readonly run: () => void;
}

// Long waits are slept in steps, so that a base clock that jumps is noticed.
const maxSleepMs = 1_000;

// A clock that jumps by days makes everything due at once. Sockets and other timers are served between
// slices.
const sliceSize = 256;

/** The emulator's time, and what has to happen at a moment of it: a base clock, and how far it was moved. */
export class EmulatorClock {
  static readonly latestMove = latestMove;
  readonly #base: { now(): number };
  #offsetMs = 0;
  /** What is due first stands first. */
  readonly #tasks: Task[] = [];
  #order = 0;
  #sleeping: NodeJS.Timeout | undefined;
  #pausing: NodeJS.Immediate | undefined;

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
    this.#runDue();
  }

  /** Runs once the clock has reached `dueAt`, never before this returns. The answer calls it off. */
  at(dueAt: number, run: () => void): () => void {
    const task = { dueAt, order: this.#order++, run };
    this.#tasks.splice(this.#indexOf(task), 0, task);
    if (this.#tasks[0] === task) this.#sleep();
    return () => {
      const index = this.#indexOf(task);
      if (this.#tasks[index] === task) this.#tasks.splice(index, 1);
    };
  }

  clear(): void {
    this.#tasks.length = 0;
    clearTimeout(this.#sleeping);
    clearImmediate(this.#pausing);
  }

  #runDue(): void {
    clearImmediate(this.#pausing);
    const now = this.now();
    for (let ran = 0; ran < sliceSize; ran++) {
      const next = this.#tasks[0];
      if (next === undefined || next.dueAt > now) {
        this.#sleep();
        return;
      }
      this.#tasks.shift();
      next.run();
    }
    this.#pausing = setImmediate(() => this.#runDue());
  }

  #sleep(): void {
    clearTimeout(this.#sleeping);
    const next = this.#tasks[0];
    if (next === undefined) return;
    const wait = Math.min(maxSleepMs, Math.max(0, next.dueAt - this.now()));
    this.#sleeping = setTimeout(() => this.#runDue(), wait);
  }

  #indexOf({ dueAt, order }: Task): number {
    return bisect(this.#tasks, (task) => task.dueAt < dueAt || (task.dueAt === dueAt && task.order < order));
  }
}
