/** Takes the one who waits out of the line; without effect once served. */
export type Leave = () => void;

/** Who is served first: who came first, or who came last. */
export type ServeOrder = "first" | "last";

type Place = { readonly run: () => void };

export class WaitingLine {
  readonly #waiting = new Set<Place>();
  // One iterator goes along with the line: a new one would pass over the places of all who were served, each
  // time.
  readonly #next = this.#waiting.values();
  /** Of those who came, if the last is served first; some have left. */
  readonly #stack: Place[] | null;

  constructor(order: ServeOrder = "first") {
    this.#stack = order === "last" ? [] : null;
  }

  get length(): number {
    return this.#waiting.size;
  }

  join(run: () => void): Leave {
    const place = { run };
    this.#waiting.add(place);
    this.#stack?.push(place);
    return () => void this.#waiting.delete(place);
  }

  next(): (() => void) | undefined {
    if (this.#waiting.size === 0) return undefined;
    if (this.#stack !== null) return this.#nextOf(this.#stack);
    const { value: first } = this.#next.next();
    this.#waiting.delete(first!);
    return first!.run;
  }

  #nextOf(stack: Place[]): (() => void) | undefined {
    let place = stack.pop();
    while (place !== undefined && !this.#waiting.delete(place)) place = stack.pop();
    return place?.run;
  }
}

/** A bounded number of holders. */
export class Turns {
  #limit: number;
  protected held = 0;
  protected readonly line: WaitingLine;

  constructor(limit: number, order: ServeOrder = "first") {
    this.#limit = limit;
    this.line = new WaitingLine(order);
  }

  /** How many have their turn now. */
  get taken(): number {
    return this.held;
  }

  set limit(limit: number) {
    this.#limit = limit;
    this.admit();
  }

  /** Runs when it is the caller's turn, which may be before this returns, and which lasts until `give`. */
  take(run: () => void): Leave {
    const leave = this.line.join(run);
    this.admit();
    return leave;
  }

  give(): void {
    this.held--;
    this.admit();
  }

  protected admit(): void {
    while (this.isFree()) {
      const run = this.line.next();
      if (run === undefined) return;
      this.held++;
      run();
    }
  }

  protected isFree(): boolean {
    return this.held < this.#limit;
  }
}

/**
 * The way through one queue. As many messages as its parallelism are between first attempt and end, in the
 * order in which they came. While it is paused, who has a turn keeps it and does not attempt.
 */
export class QueueTurns {
  /** A turn is kept over all retries. */
  readonly turns = new Turns(1);
  readonly #gate = new WaitingLine();
  #paused = false;

  get paused(): boolean {
    return this.#paused;
  }

  set paused(paused: boolean) {
    this.#paused = paused;
    while (!this.#paused && this.#gate.length > 0) this.#gate.next()?.();
  }

  /** For who has a turn: runs as soon as the queue is not paused. */
  whenOpen(run: () => void): Leave {
    const leave = this.#gate.join(run);
    if (!this.#paused) this.#gate.next()?.();
    return leave;
  }
}
