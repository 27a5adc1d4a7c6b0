import type { EmulatorClock } from "./clock.ts";

interface Appointment {
  readonly dueAt: number;
  readonly order: number;
  readonly run: () => void;
  /** Its place in the heap; -1 once it is out. */
  index: number;
}

// Long waits are slept in steps, so that a base clock that jumps is noticed.
const longestSleepMs = 1_000;

// A clock that jumps by days makes everything due at once; sockets and other timers are served between slices.
const sliceSize = 256;

/** What has to happen at a moment of the emulator's clock: a binary heap and one timer. */
export class Agenda {
  readonly #clock: EmulatorClock;
  readonly #heap: Appointment[] = [];
  #timer: NodeJS.Timeout | undefined;
  #rest: NodeJS.Immediate | undefined;
  #order = 0;

  constructor(clock: EmulatorClock) {
    this.#clock = clock;
    clock.onMoved(() => this.#runDue());
  }

  get size(): number {
    return this.#heap.length;
  }

  /** Runs once the clock has reached `dueAt`, never before this returns. The answer calls it off. */
  at(dueAt: number, run: () => void): () => void {
    const appointment = { dueAt, order: this.#order++, run, index: this.#heap.length };
    this.#heap.push(appointment);
    this.#rise(appointment);
    if (appointment.index === 0) this.#sleep();
    return () => this.#remove(appointment);
  }

  /** Resolves once the clock has reached `dueAt`; never, if the agenda is cleared before. */
  until(dueAt: number): Promise<void> {
    return new Promise((resolve) => void this.at(dueAt, resolve));
  }

  clear(): void {
    for (const appointment of this.#heap) appointment.index = -1;
    this.#heap.length = 0;
    clearTimeout(this.#timer);
    clearImmediate(this.#rest);
  }

  #runDue(): void {
    clearImmediate(this.#rest);
    const now = this.#clock.now();
    for (let ran = 0; ran < sliceSize; ran++) {
      const next = this.#heap[0];
      if (next === undefined || next.dueAt > now) {
        this.#sleep();
        return;
      }
      this.#remove(next);
      next.run();
    }
    this.#rest = setImmediate(() => this.#runDue());
  }

  #sleep(): void {
    clearTimeout(this.#timer);
    const next = this.#heap[0];
    if (next === undefined) return;
    const wait = Math.min(longestSleepMs, Math.max(0, next.dueAt - this.#clock.now()));
    this.#timer = setTimeout(() => this.#runDue(), wait);
  }

  #remove(appointment: Appointment): void {
    const { index } = appointment;
    if (index < 0) return;
    appointment.index = -1;
    const last = this.#heap.pop();
    if (last === undefined || last === appointment) return;
    last.index = index;
    this.#heap[index] = last;
    this.#rise(last);
    this.#sink(last);
  }

  #rise(appointment: Appointment): void {
    const heap = this.#heap;
    let { index } = appointment;
    while (index > 0) {
      const parent = heap[(index - 1) >> 1]!;
      if (!earlier(appointment, parent)) break;
      const above = parent.index;
      place(heap, parent, index);
      index = above;
    }
    place(heap, appointment, index);
  }

  #sink(appointment: Appointment): void {
    const heap = this.#heap;
    let { index } = appointment;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && earlier(heap[child + 1]!, heap[child]!)) child++;
      if (!earlier(heap[child]!, appointment)) break;
      place(heap, heap[child]!, index);
      index = child;
    }
    place(heap, appointment, index);
  }
}

const earlier = (a: Appointment, b: Appointment): boolean =>
  a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.order < b.order);

function place(heap: Appointment[], appointment: Appointment, index: number): void {
  heap[index] = appointment;
  appointment.index = index;
}
