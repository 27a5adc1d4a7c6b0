import type { Agenda } from "../clock-timers.ts";
import type { EmulatorClock } from "../clock.ts";
import type { Message } from "../publish/message.ts";
import type { FlowShares } from "./flow-control.ts";
import type { Attempt, CallRequest } from "./http-caller.ts";
import type { Lane } from "./queue-turns.ts";
import type { Leave } from "./line.ts";
import type { Session } from "./delivery-session.ts";

export type AttemptVerdict = { readonly next: "over" } | { readonly next: "retry"; readonly waitMs: number };

/** What a message is called with and what becomes of the answer. */
export interface Road {
  readonly clock: EmulatorClock;
  readonly agenda: Agenda;
  readonly toRequest: (journey: Journey) => CallRequest;
  /** Never rejects. */
  readonly call: (request: CallRequest, session: Session) => Promise<Attempt>;
  readonly judge: (journey: Journey, attempt: Attempt, request: CallRequest) => AttemptVerdict;
  /** The emulator itself failed on it; it is over. */
  readonly lose: (journey: Journey, error: unknown) => void;
}

/** Which attempt of which message a callback tells about. */
export interface CallbackOrigin {
  readonly kind: "callback" | "failure-callback";
  readonly source: Message;
}

/**
 * One message on its way: turn of its queue → `notBefore` → queue not paused → share of its flow control key →
 * connection → call → over, or wait and again from "queue not paused".
 * The turn is kept until it is over, over all retries; share and connection are held for the call only, and a
 * connection is asked for last, so that nobody waits while holding one.
 */
export class Journey {
  readonly message: Message;
  readonly origin: CallbackOrigin | undefined;
  readonly #road: Road;
  readonly #session: Session;
  readonly #lane: Lane | undefined;
  readonly #shares: FlowShares | undefined;
  #retried = 0;
  #nextAttemptAt: number | undefined;
  #state: "waiting" | "calling" | "cancelled while calling" | "over" = "waiting";
  #leave: Leave | undefined;
  #hasTurn = false;
  #hasShare = false;

  constructor(message: Message, origin: CallbackOrigin | undefined, session: Session, road: Road) {
    this.message = message;
    this.origin = origin;
    this.#session = session;
    this.#road = road;
    this.#lane = message.queueName === undefined ? undefined : session.lane(message.queueName);
    this.#shares = message.settings.flowControl && session.join(message.settings.flowControl);
  }

  /** Number of the attempt under way or next: 0 for the first. */
  get retried(): number {
    return this.#retried;
  }

  /** Where the next attempt waits for a moment; undefined while it is under way or waits for its turn. */
  get nextAttemptAt(): number | undefined {
    return this.#nextAttemptAt;
  }

  start(): void {
    const { message } = this;
    const whenDue = (): void => this.#sleepUntil(message.notBefore);
    const lane = this.#lane;
    if (lane === undefined) whenDue();
    else {
      this.#wait(
        (go) => lane.take(go),
        () => {
          this.#hasTurn = true;
          whenDue();
        },
      );
    }
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

  #sleepUntil(moment: number): void {
    if (moment <= this.#road.clock.now()) {
      this.#awaitOpenQueue();
      return;
    }
    this.#nextAttemptAt = moment;
    this.#wait(
      (go) => this.#road.agenda.at(moment, go),
      () => {
        this.#nextAttemptAt = undefined;
        this.#awaitOpenQueue();
      },
    );
  }

  #awaitOpenQueue(): void {
    const lane = this.#lane;
    if (lane === undefined) this.#awaitShare();
    else
      this.#wait(
        (go) => lane.whenOpen(go),
        () => this.#awaitShare(),
      );
  }

  #awaitShare(): void {
    const shares = this.#shares;
    if (shares === undefined) this.#awaitConnection();
    else {
      this.#wait(
        (go) => shares.take(go),
        () => {
          this.#hasShare = true;
          this.#awaitConnection();
        },
      );
    }
  }

  #awaitConnection(): void {
    this.#wait(
      (go) => this.#session.slots.take(go),
      () => this.#call(),
    );
  }

  #call(): void {
    // The queue may have been paused while this waited for its share or a connection.
    if (this.#lane?.paused === true) {
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
    const verdict = await this.#attempted();
    if (verdict === undefined) return;
    this.#state = "waiting";
    this.#session.slots.give();
    this.#giveShare("called");
    switch (verdict.next) {
      case "over":
        this.#end();
        return;
      case "retry":
        this.#retried++;
        this.#sleepUntil(this.#road.clock.now() + verdict.waitMs);
        return;
    }
  }

  /** What comes of one attempt, also where the emulator fails; undefined once the session has ended. */
  async #attempted(): Promise<AttemptVerdict | undefined> {
    const road = this.#road;
    try {
      const request = road.toRequest(this);
      const attempt = await road.call(request, this.#session);
      if (this.#session.ended) return undefined;
      if (this.#state === "cancelled while calling") return { next: "over" };
      return road.judge(this, attempt, request);
    } catch (error) {
      if (this.#session.ended) return undefined;
      road.lose(this, error);
      return { next: "over" };
    }
  }

  #end(): void {
    if (this.#state === "over") return;
    this.#state = "over";
    this.#giveShare("not called");
    if (this.#shares !== undefined) this.#shares.users--;
    this.#session.finished(this);
    if (this.#hasTurn) this.#lane?.give();
  }

  #giveShare(use: "called" | "not called"): void {
    if (!this.#hasShare) return;
    this.#hasShare = false;
    this.#shares?.give(use);
  }

  /** WaitBudget at one place at a time. What is entered may go on at once; then there is nothing left to leave. */
  #wait(enter: (go: () => void) => Leave, next: () => void): void {
    let gone = false;
    const leave = enter(() => {
      gone = true;
      this.#leave = undefined;
      if (!this.#session.ended) next();
    });
    if (!gone) this.#leave = leave;
  }
}
