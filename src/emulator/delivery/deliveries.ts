import type { Agenda } from "../agenda.ts";
import type { EmulatorClock } from "../clock.ts";
import type { Journal } from "../journal.ts";
import type { Settings } from "../options.ts";
import type { Message } from "../publish/message.ts";
import { callbackBody, toCallbackRequest } from "./callbacks.ts";
import { toDeliveryRequest, type Sender } from "./delivery-request.ts";
import { noAnswer, type Attempt, type CallRequest } from "./http-call.ts";
import { isLoopbackUrl } from "./loopback.ts";
import { retryLadderMs } from "./retry-ladder.ts";
import { Session } from "./session.ts";

const nonRetryableStatus = 489;
const callbackRetries = 3;

export interface FinalFailure {
  readonly message: Message;
  readonly attempt: Attempt;
  readonly request: CallRequest;
}

/**
 * Carries messages to their destinations:
 * wait for `notBefore` → wait for the queue's turn → attempt → delivered, or wait and attempt again, or dead letter.
 * A queue's turn is kept over all retries: a message at the head blocks the queue.
 */
export class Deliveries {
  readonly #settings: Settings;
  readonly #clock: EmulatorClock;
  readonly #agenda: Agenda;
  readonly #journal: Journal;
  readonly #bury: (failure: FinalFailure) => string;
  readonly #sender: Sender;
  #session: Session;

  constructor(parts: {
    settings: Settings;
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
    this.#sender = {
      headerPrefix: parts.settings.headerPrefix,
      signingKey: parts.settings.signingKeys.current,
      defaultTimeoutMs: parts.settings.deliveryTimeoutMs,
    };
    this.#session = new Session(parts.settings);
  }

  /** Messages and callbacks that have not ended yet, those that wait for a retry included. */
  get pending(): number {
    return this.#session.pending;
  }

  /** Resolves when nothing is pending any more. */
  idle(): Promise<void> {
    return this.#session.idle();
  }

  setParallelism(queueName: string, parallelism: number): void {
    this.#session.lane(queueName).limit = parallelism;
  }

  send(message: Message): void {
    const session = this.#session;
    session.started();
    void this.#live(message, session).then(() => session.finished());
  }

  /** Forgets everything under way. */
  async reset(): Promise<void> {
    const ended = this.#session;
    this.#agenda.clear();
    this.#session = new Session(this.#settings);
    await ended.end();
  }

  async close(): Promise<void> {
    this.#agenda.clear();
    await this.#session.end();
  }

  async #live(message: Message, session: Session): Promise<void> {
    if (message.notBefore > this.#clock.now()) await this.#agenda.until(message.notBefore);
    const lane = message.queueName === undefined ? undefined : session.lane(message.queueName);
    await lane?.take();
    const { settings } = message;
    for (let retried = 0; !session.ended; retried++) {
      const now = this.#clock.now();
      const request = toDeliveryRequest(message, retried, now, this.#sender);
      const attempt = await this.#attempt(request, session);
      if (session.ended) return;
      const delivered = isSuccess(attempt);
      this.#journal.add({
        type: "delivery",
        messageId: message.messageId,
        url: message.url,
        retried,
        status: attempt.status,
        outcome: delivered ? "delivered" : "failed",
        error: attempt.error,
      });
      if (settings.callback !== undefined) this.#callBack("callback", message, attempt, retried, session);
      if (delivered) break;
      if (retried >= settings.maxRetries || this.#isNonRetryable(attempt)) {
        const dlqId = this.#bury({ message, attempt, request });
        if (settings.failureCallback !== undefined) {
          this.#callBack("failure-callback", message, attempt, retried, session, dlqId);
        }
        break;
      }
      const waitMs = settings.retryDelay?.ms(retried) ?? retryLadderMs(retried + 1);
      await this.#agenda.until(this.#clock.now() + waitMs * this.#settings.retryScale);
    }
    lane?.give();
  }

  async #attempt(request: CallRequest, session: Session): Promise<Attempt> {
    if (this.#settings.deliver === "loopback" && !isLoopbackUrl(request.url)) {
      return noAnswer("not called: only destinations on this machine are delivered to");
    }
    await session.slots.take();
    try {
      if (session.ended) return noAnswer("the emulator was reset");
      return await session.caller.call(request);
    } finally {
      session.slots.give();
    }
  }

  /** Tried a few times on the ladder, then dropped: a callback that fails leaves no dead letter. */
  #callBack(
    kind: "callback" | "failure-callback",
    message: Message,
    attempt: Attempt,
    retried: number,
    session: Session,
    dlqId?: string,
  ): void {
    const { callback, failureCallback } = message.settings;
    const target = kind === "callback" ? callback : failureCallback;
    if (target === undefined) return;
    const body = callbackBody(message, attempt, retried, dlqId);
    const toRequest = toCallbackRequest(target, body, this.#clock.now(), this.#sender);
    const tell = async (): Promise<void> => {
      for (let tried = 0; tried <= callbackRetries; tried++) {
        const answer = await this.#attempt(toRequest(tried), session);
        if (session.ended) return;
        const outcome = isSuccess(answer) ? "delivered" : "failed";
        const { messageId } = message;
        this.#journal.add({
          type: "callback",
          messageId,
          url: target.url,
          kind,
          status: answer.status,
          outcome,
        });
        if (outcome === "delivered") return;
        if (tried < callbackRetries) {
          await this.#agenda.until(this.#clock.now() + retryLadderMs(tried + 1) * this.#settings.retryScale);
        }
      }
    };
    session.started();
    void tell().then(() => session.finished());
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

const isSuccess = (attempt: Attempt): boolean => attempt.status >= 200 && attempt.status < 300;
