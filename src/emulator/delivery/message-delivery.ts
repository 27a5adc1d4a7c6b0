import type { EmulatorClock } from "../clock.ts";
import type { Message } from "../publish/message.ts";
import type { DeliverySession, UnderWay } from "./delivery-session.ts";
import type { FlowShares } from "./flow-control.ts";
import type { Attempt, CallRequest } from "./http-caller.ts";
import type { Leave, QueueTurns } from "./waiting-line.ts";

/** What a message is called with and what becomes of the answer. */
export interface DeliveryRules {
  readonly clock: EmulatorClock;
  toRequest(delivery: MessageDelivery): CallRequest;
  /** Never rejects. */
  call(request: CallRequest, session: DeliverySession): Promise<Attempt>;
  /** The wait before the next attempt, in milliseconds; undefined if there is none. */
  judge(delivery: MessageDelivery, attempt: Attempt, request: CallRequest): number | undefined;
  /** The emulator itself failed on it; it is over. */
  lose(delivery: MessageDelivery, error: unknown): void;
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
export class MessageDelivery implements UnderWay {
  readonly message: Message;
  readonly origin: CallbackOrigin | undefined;
  retried = 0;
  nextAttemptAt: number | undefined;
  readonly #rules: DeliveryRules;
  readonly #session: DeliverySession;
  readonly #queue: QueueTurns | undefined;
  readonly #shares: FlowShares | undefined;
  #state: "waiting" | "calling" | "cancelled while calling" | "over" = "waiting";
  #leave: Leave | undefined;
  #hasTurn = false;
  #hasShare = false;

  constructor(
    message: Message,
    origin: CallbackOrigin | undefined,
    session: DeliverySession,
    rules: DeliveryRules,
  ) {
    this.message = message;
    this.origin = origin;
    this.#session = session;
    this.#rules = rules;
    this.#queue = message.queueName === undefined ? undefined : session.queue(message.queueName);
    this.#shares = message.settings.flowControl && session.join(message.settings.flowControl);
  }

  start(): void {
    this.#wait(this.#queue && ((go) => this.#queue!.turns.take(go)), () => {
      this.#hasTurn = true;
      this.#sleepUntil(this.message.notBefore);
    });
  }

  cancel(): void {
    if (this.#state === "calling") {
      this.#state = "cancelled while calling";
      return;
    }
    this.#leave?.();
    this.#end();
  }

  #sleepUntil(moment: number): void {
    const { clock } = this.#rules;
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
        (go) => this.#session.slots.take(go),
        () => this.#call(),
      );
    });
  }

  #call(): void {
    // The queue may have been paused while this waited for its share or a connection.
    if (this.#queue?.paused === true) {
      this.#session.slots.give();
      this.#giveShare("not called");
      this.#awaitOpenQueue();
      return;
    }
    this.#state = "calling";
    this.#shares?.begin();
    void this.#attempt();
  }

  async #attempt(): Promise<void> {
    const waitMs = await this.#attempted();
    if (this.#session.ended) return;
    this.#state = "waiting";
    this.#session.slots.give();
    this.#giveShare("called");
    if (waitMs === undefined) this.#end();
    else {
      this.retried++;
      this.#sleepUntil(this.#rules.clock.now() + waitMs);
    }
  }

  /** The wait before the next attempt; undefined if there is none, also because the emulator failed. */
  async #attempted(): Promise<number | undefined> {
    const rules = this.#rules;
    try {
      const request = rules.toRequest(this);
      const attempt = await rules.call(request, this.#session);
      if (this.#session.ended || this.#state === "cancelled while calling") return undefined;
      return rules.judge(this, attempt, request);
    } catch (error) {
      if (!this.#session.ended) rules.lose(this, error);
      return undefined;
    }
  }

  #end(): void {
    if (this.#state === "over") return;
    this.#state = "over";
    this.#giveShare("not called");
    if (this.#shares !== undefined) this.#shares.users--;
    this.#session.finished(this.message.messageId);
    if (this.#hasTurn) this.#queue?.turns.give();
  }

  #giveShare(use: "called" | "not called"): void {
    if (!this.#hasShare) return;
    this.#hasShare = false;
    this.#shares?.give(use);
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
      if (!this.#session.ended) next();
    });
    if (!gone) this.#leave = leave;
  }
}
