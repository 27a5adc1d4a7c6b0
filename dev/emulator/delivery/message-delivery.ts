import type { EmulatorClock } from "../clock.ts";
import type { Message } from "../publish/message.ts";
import type { FlowControlByKey } from "./flow-control-by-key.ts";
import type { FlowShares } from "./flow-control.ts";
import type { Leave, QueueTurns, Turns } from "./concurrency-limits.ts";

/** What a message moves through on its way. */
export interface DeliveryWays {
  readonly clock: EmulatorClock;
  readonly slots: Turns;
  readonly flowControl: FlowControlByKey;
  /** What is under way leaves no trace any more. */
  readonly ended: boolean;
  queue(name: string): QueueTurns;
  /** The wait before the next attempt, in milliseconds; undefined if there is none. Never rejects. */
  attempt(delivery: MessageDelivery): Promise<number | undefined>;
  finished(messageId: string): void;
}

/** Which attempt of which message a callback reports. */
export interface CallbackOrigin {
  readonly kind: "callback" | "failure-callback";
  readonly source: Message;
}

/**
 * One message on its way: turn of its queue → `notBefore` → queue not paused → share of its flow control key
 * → connection → call → over, or wait and again from "queue not paused". The turn is kept until it is over,
 * over all retries; share and connection are held for the call only, and a connection is asked for last, so
 * that nobody waits while holding one.
 */
export class MessageDelivery {
  readonly message: Message;
  readonly origin: CallbackOrigin | undefined;
  /** Number of the attempt under way or next: 0 for the first. */
  retried = 0;
  /** When the next attempt is due; undefined while it is under way or waits for its turn. */
  nextAttemptAt: number | undefined;
  readonly #deliveries: DeliveryWays;
  readonly #queue: QueueTurns | undefined;
  readonly #shares: FlowShares | undefined;
  #state: "waiting" | "calling" | "cancelled while calling" | "over" = "waiting";
  #leave: Leave | undefined;
  #hasTurn = false;
  #hasShare = false;

  constructor(message: Message, origin: CallbackOrigin | undefined, deliveries: DeliveryWays) {
    this.message = message;
    this.origin = origin;
    this.#deliveries = deliveries;
    this.#queue = message.queueName === undefined ? undefined : deliveries.queue(message.queueName);
    this.#shares = message.settings.flowControl && deliveries.flowControl.join(message.settings.flowControl);
  }

  get isCancelled(): boolean {
    return this.#state === "cancelled while calling";
  }

  start(): void {
    this.#wait(this.#queue && ((go) => this.#queue!.turns.take(go)), () => {
      this.#hasTurn = true;
      this.#sleepUntil(this.message.notBefore);
    });
  }

  /** It is not delivered any more; a call under way is let finish and has no consequence. */
  cancel(): void {
    if (this.#state === "calling") {
      this.#state = "cancelled while calling";
      return;
    }
    this.#leave?.();
    this.#end();
  }

  /** Its next attempt is made now, and none is added. False if it does not wait for a time. */
  hurry(): boolean {
    if (this.nextAttemptAt === undefined) return false;
    this.nextAttemptAt = undefined;
    this.#leave?.();
    this.#leave = undefined;
    this.#awaitOpenQueue();
    return true;
  }

  #sleepUntil(moment: number): void {
    const { clock } = this.#deliveries;
    const isDue = moment <= clock.now();
    this.nextAttemptAt = isDue ? undefined : moment;
    this.#wait(isDue ? undefined : (go) => clock.at(moment, go), () => {
      this.nextAttemptAt = undefined;
      this.#awaitOpenQueue();
    });
  }

  #awaitOpenQueue(): void {
    this.#wait(this.#queue && ((go) => this.#queue!.whenOpen(go)), () => this.#awaitShare());
  }

  #awaitShare(): void {
    this.#wait(this.#shares && ((go) => this.#shares!.take(go)), () => {
      this.#hasShare = true;
      this.#wait(
        (go) => this.#deliveries.slots.take(go),
        () => this.#call(),
      );
    });
  }

  #call(): void {
    // Queue or key may have been paused while this waited for its share or a connection.
    if (this.#queue?.paused === true || this.#shares?.paused === true) {
      this.#deliveries.slots.give();
      this.#giveShare();
      this.#awaitOpenQueue();
      return;
    }
    this.#state = "calling";
    this.#shares?.begin();
    void this.#attempt();
  }

  async #attempt(): Promise<void> {
    const waitMs = await this.#deliveries.attempt(this);
    if (this.#deliveries.ended) return;
    this.#state = "waiting";
    this.#deliveries.slots.give();
    this.#shares?.finish();
    this.#giveShare();
    if (waitMs === undefined) this.#end();
    else {
      this.retried++;
      this.#sleepUntil(this.#deliveries.clock.now() + waitMs);
    }
  }

  #end(): void {
    if (this.#state === "over") return;
    this.#state = "over";
    this.#giveShare();
    if (this.#shares !== undefined) this.#shares.users--;
    this.#deliveries.finished(this.message.messageId);
    if (this.#hasTurn) this.#queue?.turns.give();
  }

  #giveShare(): void {
    if (!this.#hasShare) return;
    this.#hasShare = false;
    this.#shares?.give();
  }

  /** Waits at one place at a time, or nowhere. An entry that goes on at once leaves nothing to leave. */
  #wait(enter: ((go: () => void) => Leave) | undefined, next: () => void): void {
    if (enter === undefined) {
      next();
      return;
    }
    let gone = false;
    const leave = enter(() => {
      gone = true;
      this.#leave = undefined;
      if (!this.#deliveries.ended) next();
    });
    if (!gone) this.#leave = leave;
  }
}
