import { setImmediate } from "node:timers/promises";
import type { Agenda } from "../clock-timers.ts";
import type { EmulatorClock } from "../clock.ts";
import type { Journal } from "../journal.ts";
import type { EmulatorSettings } from "../options.ts";
import type { CallbackTarget, Message } from "../publish/message.ts";
import { askedWaitMs } from "./retry-waits.ts";
import { toCallbackMessage } from "./callback-message.ts";
import { toDeliveryRequest } from "./delivery-request.ts";
import type { FlowControlState } from "./flow-control.ts";
import { noAnswer, type Attempt, type CallRequest } from "./http-caller.ts";
import { Journey, type CallbackOrigin, type Road, type AttemptVerdict } from "./message-delivery.ts";
import { isLoopbackUrl } from "./loopback.ts";
import { retryLadderMs } from "./retry-ladder.ts";
import { Session } from "./delivery-session.ts";

const nonRetryableStatus = 489;

export interface FinalFailure {
  readonly message: Message;
  readonly attempt: Attempt;
  readonly request: CallRequest;
}

/** A message that has not ended yet. */
export interface UnderWay {
  readonly message: Message;
  /** Number of the attempt under way or next: 0 for the first. */
  readonly retried: number;
  /** Where the next attempt waits for a moment; undefined while it is under way or waits for its turn. */
  readonly nextAttemptAt: number | undefined;
}

/**
 * Carries messages, and callbacks, which are messages too, to their destinations. How one moves is in `Journey`; here
 * is what an attempt means: journal, callbacks, another attempt, dead letter.
 */
export class Deliveries {
  readonly #settings: EmulatorSettings;
  readonly #clock: EmulatorClock;
  readonly #agenda: Agenda;
  readonly #journal: Journal;
  readonly #bury: (failure: FinalFailure) => string;
  readonly #road: Road;
  #session: Session;

  constructor(parts: {
    settings: EmulatorSettings;
    clock: EmulatorClock;
    agenda: Agenda;
    journal: Journal;
    /** Keeps the message as a dead letter; returns its dlqId. */
    bury: (failure: FinalFailure) => string;
  }) {
    this.#settings = parts.settings;
    this.#clock = parts.clock;
    this.#agenda = parts.agenda;
    this.#journal = parts.journal;
    this.#bury = parts.bury;
    this.#road = {
      clock: parts.clock,
      agenda: parts.agenda,
      toRequest: (journey) => this.#toRequest(journey),
      call: (request, session) => this.#call(request, session),
      judge: (journey, attempt, request) => this.#judge(journey, attempt, request),
      lose: (journey, error) => this.#lose(journey, error),
    };
    this.#session = this.#newSession();
  }

  /** Messages and callbacks that have not ended yet, those that wait for a retry included. */
  get pending(): number {
    return this.#session.pending;
  }

  /** Resolves when nothing is pending any more. */
  idle(): Promise<void> {
    return this.#session.idle();
  }

  send(message: Message): void {
    this.#start(message, undefined);
  }

  find(messageId: string): UnderWay | undefined {
    return this.#session.find(messageId);
  }

  /** In the order in which they were accepted. */
  list(): UnderWay[] {
    return [...this.#session.journeys()];
  }

  /**
   * The message is never delivered again and leaves neither dead letter nor callback. A call under way is let finish
   * without a consequence; until then it keeps its queue's turn and its share. False where nothing has this id.
   */
  cancel(messageId: string): boolean {
    const journey = this.#session.find(messageId);
    if (journey === undefined) return false;
    this.#session.withdraw(journey);
    this.#journal.add({ type: "cancelled", messageId, url: journey.message.url });
    journey.cancel();
    return true;
  }

  setParallelism(queueName: string, parallelism: number): void {
    this.#session.lane(queueName).parallelism = parallelism;
  }

  /**
   * A paused queue delivers nothing, retries included, until it is resumed. A call under way is let finish. Returns
   * whether this changed anything.
   */
  setPaused(queueName: string, paused: boolean): boolean {
    const lane = this.#session.lane(queueName);
    const changes = lane.paused !== paused;
    lane.paused = paused;
    return changes;
  }

  /** The flow control keys in use, with the values of the newest message of each. */
  flowControls(): FlowControlState[] {
    return Array.from(this.#session.shares(), (shares) => shares.state());
  }

  /** Forgets everything under way. */
  async reset(): Promise<void> {
    const ended = this.#session;
    this.#agenda.clear();
    this.#session = this.#newSession();
    await ended.end();
  }

  async close(): Promise<void> {
    this.#agenda.clear();
    await this.#session.end();
  }

  #newSession(): Session {
    return new Session(this.#settings, this.#clock, this.#agenda);
  }

  #start(message: Message, origin: CallbackOrigin | undefined): void {
    const journey = new Journey(message, origin, this.#session, this.#road);
    this.#session.started(journey);
    journey.start();
  }

  #toRequest({ message, retried }: Journey): CallRequest {
    const { headerPrefix, signingKeys, deliveryTimeoutMs } = this.#settings;
    return toDeliveryRequest(message, retried, this.#clock.base(), {
      headerPrefix,
      signingKey: signingKeys.current,
      defaultTimeoutMs: deliveryTimeoutMs,
    });
  }

  async #call(request: CallRequest, session: Session): Promise<Attempt> {
    if (this.#settings.deliver === "any" || isLoopbackUrl(request.url)) return session.caller.call(request);
    // Many messages to other machines fail at once; whoever else uses this process is served in between.
    await setImmediate();
    return noAnswer("not called: only destinations on this machine are delivered to");
  }

  #judge(journey: Journey, attempt: Attempt, request: CallRequest): AttemptVerdict {
    const { message, retried } = journey;
    const { callback, failureCallback, maxRetries, retryDelay } = message.settings;
    const delivered = attempt.status >= 200 && attempt.status < 300;
    this.#record(journey, attempt, delivered ? "delivered" : "failed");
    this.#callBack("callback", callback, message, { attempt, retried });
    if (delivered) return { next: "over" };
    if (retried >= maxRetries || this.#isNonRetryable(attempt)) {
      const dlqId = this.#bury({ message, attempt, request });
      this.#callBack("failure-callback", failureCallback, message, { attempt, retried, dlqId });
      return { next: "over" };
    }
    const waitMs =
      askedWaitMs(attempt.header, this.#clock.base()) ??
      retryDelay?.ms(retried) ??
      retryLadderMs(retried + 1);
    return { next: "retry", waitMs: waitMs * this.#settings.retryScale };
  }

  #lose({ message: { messageId, url } }: Journey, error: unknown): void {
    this.#journal.add({ type: "lost", messageId, url, error: String(error) });
  }

  #record(journey: Journey, attempt: Attempt, outcome: "delivered" | "failed"): void {
    const { message, retried, origin } = journey;
    const { messageId, url } = message;
    const { status, error } = attempt;
    if (origin === undefined) {
      this.#journal.add({ type: "delivery", messageId, url, retried, status, outcome, error });
      return;
    }
    this.#journal.add({
      type: "callback",
      messageId: origin.source.messageId,
      callbackMessageId: messageId,
      url,
      kind: origin.kind,
      retried,
      status,
      outcome,
    });
  }

  #callBack(
    kind: CallbackOrigin["kind"],
    target: CallbackTarget | undefined,
    source: Message,
    told: { readonly attempt: Attempt; readonly retried: number; readonly dlqId?: string },
  ): void {
    if (target === undefined) return;
    this.#start(toCallbackMessage(target, source, told, this.#clock.now()), { kind, source });
  }

  #isNonRetryable(attempt: Attempt): boolean {
    const wanted = `${this.#settings.headerPrefix}nonretryable-error`.toLowerCase();
    return (
      attempt.status === nonRetryableStatus &&
      Object.entries(attempt.header).some(
        ([name, values]) => name.toLowerCase() === wanted && values[0]?.trim().toLowerCase() === "true",
      )
    );
  }
}
