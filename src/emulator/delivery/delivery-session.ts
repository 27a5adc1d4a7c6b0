import type { Agenda } from "../clock-timers.ts";
import type { EmulatorClock } from "../clock.ts";
import type { FlowControlLimits } from "../publish/message.ts";
import { FlowShares } from "./flow-control.ts";
import { HttpCaller } from "./http-caller.ts";
import type { Journey } from "./message-delivery.ts";
import { Lane } from "./queue-turns.ts";
import { Turns } from "./waiting-line.ts";

// Idle flow control keys are looked for once there are this many, then at twice as many as were left.
const fewKeys = 1_024;

/**
 * Everything in motion between two resets: connections, turns, queues, flow control keys. What is still under way
 * when the session ends finds `ended` true and leaves no trace.
 */
export class Session {
  readonly caller: HttpCaller;
  readonly slots: Turns;
  ended = false;
  pending = 0;
  readonly #clock: EmulatorClock;
  readonly #agenda: Agenda;
  readonly #journeys = new Map<string, Journey>();
  readonly #lanes = new Map<string, Lane>();
  readonly #shares = new Map<string, FlowShares>();
  #manyKeys = fewKeys;
  #idleWatchers: (() => void)[] = [];

  constructor(
    options: { maxInFlight: number; maxResponseBytes: number },
    clock: EmulatorClock,
    agenda: Agenda,
  ) {
    this.caller = new HttpCaller({
      connections: options.maxInFlight,
      maxResponseBytes: options.maxResponseBytes,
    });
    this.slots = new Turns(options.maxInFlight);
    this.#clock = clock;
    this.#agenda = agenda;
  }

  lane(queueName: string): Lane {
    let lane = this.#lanes.get(queueName);
    if (lane === undefined) this.#lanes.set(queueName, (lane = new Lane()));
    return lane;
  }

  /** The shares of a key, from now on with these limits: the newest message's values win. */
  join(limits: FlowControlLimits): FlowShares {
    let shares = this.#shares.get(limits.key);
    if (shares === undefined) {
      this.#forgetIdleKeys();
      this.#shares.set(limits.key, (shares = new FlowShares(limits, this.#clock, this.#agenda)));
    } else shares.limits = limits;
    shares.users++;
    return shares;
  }

  shares(): Iterable<FlowShares> {
    return this.#shares.values();
  }

  started(journey: Journey): void {
    this.pending++;
    this.#journeys.set(journey.message.messageId, journey);
  }

  find(messageId: string): Journey | undefined {
    return this.#journeys.get(messageId);
  }

  journeys(): Iterable<Journey> {
    return this.#journeys.values();
  }

  /** It is not found any more, although its last call may still be under way. */
  withdraw(journey: Journey): void {
    this.#journeys.delete(journey.message.messageId);
  }

  finished(journey: Journey): void {
    this.withdraw(journey);
    this.pending--;
    if (this.pending === 0) this.#tellIdle();
  }

  idle(): Promise<void> {
    if (this.pending === 0 || this.ended) return Promise.resolve();
    return new Promise((resolve) => this.#idleWatchers.push(resolve));
  }

  async end(): Promise<void> {
    this.ended = true;
    this.#journeys.clear();
    this.#tellIdle();
    await this.caller.close();
  }

  #forgetIdleKeys(): void {
    if (this.#shares.size < this.#manyKeys) return;
    for (const [key, shares] of this.#shares) if (shares.idle) this.#shares.delete(key);
    this.#manyKeys = Math.max(fewKeys, 2 * this.#shares.size);
  }

  #tellIdle(): void {
    const watchers = this.#idleWatchers;
    this.#idleWatchers = [];
    for (const tell of watchers) tell();
  }
}
