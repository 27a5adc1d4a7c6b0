import type { EmulatorContext } from "../context.ts";
import type { FlowControlLimits, Message } from "../publish/message.ts";
import { FlowShares, type FlowControlState } from "./flow-control.ts";
import { HttpCaller } from "./http-caller.ts";
import { QueueTurns, Turns } from "./waiting-line.ts";

/** A message that has not ended yet. */
export interface UnderWay {
  readonly message: Message;
  /** Number of the attempt under way or next: 0 for the first. */
  readonly retried: number;
  /** When the next attempt is due; undefined while it is under way or waits for its turn. */
  readonly nextAttemptAt: number | undefined;
  /** It is not delivered any more; a call under way is let finish and has no consequence. */
  cancel(): void;
}

// Idle flow control keys are looked for once there are this many, then at twice as many as were left.
const fewKeys = 1_024;

/**
 * Everything in motion between two resets: connections, turns, queues, flow control keys. What is still under
 * way when the session ends finds `ended` true and leaves no trace.
 */
export class DeliverySession {
  readonly caller: HttpCaller;
  readonly slots: Turns;
  ended = false;
  pending = 0;
  readonly #context: EmulatorContext;
  readonly #underWay = new Map<string, UnderWay>();
  readonly #queues = new Map<string, QueueTurns>();
  readonly #shares = new Map<string, FlowShares>();
  #manyKeys = fewKeys;
  #idleWatchers: (() => void)[] = [];

  constructor(context: EmulatorContext) {
    const { maxInFlight, maxResponseBytes } = context.settings;
    this.caller = new HttpCaller({ connections: maxInFlight, maxResponseBytes });
    this.slots = new Turns(maxInFlight);
    this.#context = context;
  }

  queue(name: string): QueueTurns {
    let queue = this.#queues.get(name);
    if (queue === undefined) this.#queues.set(name, (queue = new QueueTurns()));
    return queue;
  }

  /** The shares of a key, from now on with these limits: the newest message's values win. */
  join(limits: FlowControlLimits): FlowShares {
    let shares = this.#shares.get(limits.key);
    if (shares === undefined) {
      this.#forgetIdleKeys();
      this.#shares.set(limits.key, (shares = new FlowShares(limits, this.#context.clock)));
    } else shares.limits = limits;
    shares.users++;
    return shares;
  }

  /** Of the keys in use, with the values of the newest message of each. */
  flowControls(): FlowControlState[] {
    return Array.from(this.#shares.values(), (shares) => shares.state());
  }

  started(delivery: UnderWay): void {
    this.pending++;
    this.#underWay.set(delivery.message.messageId, delivery);
  }

  find(messageId: string): UnderWay | undefined {
    return this.#underWay.get(messageId);
  }

  /** In the order in which they were accepted. */
  list(): UnderWay[] {
    return [...this.#underWay.values()];
  }

  /** It is not found any more, although its last call may still be under way. */
  withdraw(messageId: string): void {
    this.#underWay.delete(messageId);
  }

  finished(messageId: string): void {
    this.withdraw(messageId);
    this.pending--;
    if (this.pending === 0) this.#wakeWatchers();
  }

  idle(): Promise<void> {
    if (this.pending === 0 || this.ended) return Promise.resolve();
    return new Promise((resolve) => this.#idleWatchers.push(resolve));
  }

  async end(): Promise<void> {
    this.ended = true;
    this.#underWay.clear();
    this.#wakeWatchers();
    await this.caller.close();
  }

  #forgetIdleKeys(): void {
    if (this.#shares.size < this.#manyKeys) return;
    for (const [key, shares] of this.#shares) if (shares.idle) this.#shares.delete(key);
    this.#manyKeys = Math.max(fewKeys, 2 * this.#shares.size);
  }

  #wakeWatchers(): void {
    const watchers = this.#idleWatchers;
    this.#idleWatchers = [];
    for (const wake of watchers) wake();
  }
}
