import type { EmulatorClock } from "./clock.ts";

interface Task {
  readonly dueAt: number;
  /** Of two that are due at once, the one that came first runs first. */
  readonly order: number;
  readonly run: () => void;
}

// Long waits are slept in steps, so that a base clock that jumps is noticed.
const maxSleepMs = 1_000;

// A clock that jumps by days makes everything due at once; sockets and other timers are served between
// slices.
const sliceSize = 256;

/** What has to happen at a moment of the emulator's clock. */
export class ClockTimers {
  readonly #clock: EmulatorClock;
  /** What is due first stands first. */
  readonly #tasks: Task[] = [];
  #sleeping: NodeJS.Timeout | undefined;
  #pausing: NodeJS.Immediate | undefined;
  #order = 0;

  constructor(clock: EmulatorClock) {
    this.#clock = clock;
    clock.onMoved(() => this.#runDue());
  }

  /** Runs once the clock has reached `dueAt`, never before this returns. The answer calls it off. */
  at(dueAt: number, run: () => void): () => void {
    const task = { dueAt, order: this.#order++, run };
    this.#tasks.splice(this.#indexOf(task), 0, task);
    if (this.#tasks[0] === task) this.#sleep();
    return () => this.#remove(task);
  }

  clear(): void {
    this.#tasks.length = 0;
    clearTimeout(this.#sleeping);
    clearImmediate(this.#pausing);
  }

  #runDue(): void {
    clearImmediate(this.#pausing);
    const now = this.#clock.now();
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
    const wait = Math.min(maxSleepMs, Math.max(0, next.dueAt - this.#clock.now()));
    this.#sleeping = setTimeout(() => this.#runDue(), wait);
  }

  #remove(task: Task): void {
    const index = this.#indexOf(task);
    if (this.#tasks[index] === task) this.#tasks.splice(index, 1);
  }

  /** The first place that is not before the task, by bisection. */
  #indexOf({ dueAt, order }: Task): number {
    let low = 0;
    let high = this.#tasks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const task = this.#tasks[middle]!;
      if (task.dueAt < dueAt || (task.dueAt === dueAt && task.order < order)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
