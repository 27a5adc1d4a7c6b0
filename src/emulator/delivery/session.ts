import { HttpCaller } from "./http-call.ts";
import { Turns } from "./turns.ts";

/**
 * Everything in motion between two resets: connections, turns, queues. What is still under way when the session
 * ends finds `ended` true and leaves no trace.
 */
export class Session {
  readonly caller: HttpCaller;
  readonly slots: Turns;
  ended = false;
  pending = 0;
  readonly #lanes = new Map<string, Turns>();
  #idleWatchers: (() => void)[] = [];

  constructor(options: { maxInFlight: number; maxResponseBytes: number }) {
    this.caller = new HttpCaller({
      connections: options.maxInFlight,
      maxResponseBytes: options.maxResponseBytes,
    });
    this.slots = new Turns(options.maxInFlight);
  }

  /** The line of one queue: as many messages as its parallelism are between first attempt and end. */
  lane(queueName: string): Turns {
    let lane = this.#lanes.get(queueName);
    if (lane === undefined) this.#lanes.set(queueName, (lane = new Turns(1)));
    return lane;
  }

  started(): void {
    this.pending++;
  }

  finished(): void {
    this.pending--;
    if (this.pending === 0) this.#tellIdle();
  }

  idle(): Promise<void> {
    if (this.pending === 0 || this.ended) return Promise.resolve();
    return new Promise((resolve) => this.#idleWatchers.push(resolve));
  }

  async end(): Promise<void> {
    this.ended = true;
    this.#tellIdle();
    await this.caller.close();
  }

  #tellIdle(): void {
    const watchers = this.#idleWatchers;
    this.#idleWatchers = [];
    for (const tell of watchers) tell();
  }
}
