import type { EmulatorClock } from "./clock.ts";

interface Appointment {
  readonly dueAt: number;
  readonly order: number;
  readonly run: () => void;
}

// Long waits are slept in steps, so that a base clock that jumps is noticed.
const longestSleepMs = 1_000;

/** What has to happen at a moment of the emulator's clock: a binary heap and one timer. */
export class Agenda {
  readonly #clock: EmulatorClock;
  readonly #heap: Appointment[] = [];
  #timer: NodeJS.Timeout | undefined;
  #order = 0;

  constructor(clock: EmulatorClock) {
    this.#clock = clock;
    clock.onMoved(() => this.#runDue());
  }

  get size(): number {
    return this.#heap.length;
  }

  /** Resolves once the clock has reached `dueAt`; never, if the agenda is cleared before. */
  until(dueAt: number): Promise<void> {
    return new Promise((resolve) => {
      const appointment = { dueAt, order: this.#order++, run: resolve };
      this.#push(appointment);
      if (this.#heap[0] === appointment) this.#sleep();
    });
  }

  clear(): void {
    this.#heap.length = 0;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #runDue(): void {
    const now = this.#clock.now();
    for (let next = this.#heap[0]; next !== undefined && next.dueAt <= now; next = this.#heap[0]) {
      this.#pop();
      next.run();
    }
    this.#sleep();
  }

  #sleep(): void {
    clearTimeout(this.#timer);
    const next = this.#heap[0];
    if (next === undefined) return;
    const wait = Math.min(longestSleepMs, Math.max(0, next.dueAt - this.#clock.now()));
    this.#timer = setTimeout(() => this.#runDue(), wait);
  }

  #push(appointment: Appointment): void {
    const heap = this.#heap;
    let index = heap.length;
    heap.push(appointment);
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!earlier(appointment, heap[parent]!)) break;
      heap[index] = heap[parent]!;
      index = parent;
    }
    heap[index] = appointment;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && earlier(heap[child + 1]!, heap[child]!)) child++;
      if (!earlier(heap[child]!, last)) break;
      heap[index] = heap[child]!;
      index = child;
    }
    heap[index] = last;
  }
}

const earlier = (a: Appointment, b: Appointment): boolean =>
  a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.order < b.order);
