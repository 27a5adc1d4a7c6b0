import { setImmediate } from "node:timers/promises";
import type { EmulatorClock } from "../clock.ts";
import type { EmulatorContext } from "../context.ts";
import type { CallbackTarget, Message } from "../publish/message.ts";
import { toCallbackMessage } from "./callback-message.ts";
import { toDeliveryRequest } from "./delivery-request.ts";
import { DeliverySession, type UnderWay } from "./delivery-session.ts";
import type { FlowControlState } from "./flow-control.ts";
import { noAnswer, type Attempt, type CallRequest } from "./http-caller.ts";
import { isLoopbackUrl } from "./loopback.ts";
import { MessageDelivery, type CallbackOrigin, type DeliveryRules } from "./message-delivery.ts";
import { askedWaitMs, retryLadderMs } from "./retry-waits.ts";

const nonRetryableStatus = 489;

export interface FinalFailure {
  readonly message: Message;
  readonly attempt: Attempt;
  readonly request: CallRequest;
}

/**
 * Carries messages, and callbacks, which are messages too, to their destinations. How one moves is in
 * `MessageDelivery`; here is what an attempt means: journal, callbacks, another attempt, dead letter.
 */
export class Deliveries implements DeliveryRules {
  readonly #context: EmulatorContext;
  readonly clock: EmulatorClock;
  readonly #bury: (failure: FinalFailure) => string;
  #session: DeliverySession;

  /** `bury` keeps the message as a dead letter and returns its dlqId. */
  constructor(context: EmulatorContext, bury: (failure: FinalFailure) => string) {
    this.#context = context;
    this.clock = context.clock;
    this.#bury = bury;
    this.#session = new DeliverySession(context);
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
    return this.#session.list();
  }

  /**
   * The message is never delivered again and leaves neither dead letter nor callback. A call under way is let
   * finish without a consequence; until then it keeps its queue's turn and its share. False where nothing has
   * this id.
   */
  cancel(messageId: string): boolean {
    const delivery = this.#session.find(messageId);
    if (delivery === undefined) return false;
    this.#session.withdraw(messageId);
    this.#context.journal.add({ type: "cancelled", messageId, url: delivery.message.url });
    delivery.cancel();
    return true;
  }

  /**
   * As many messages of a queue are under way at once. A paused queue delivers nothing, retries included,
   * until it is resumed; a call under way is let finish. Returns whether it was paused or resumed by this.
   */
  setQueue(name: string, parallelism: number, paused: boolean): boolean {
    const queue = this.#session.queue(name);
    queue.turns.limit = parallelism;
    const changes = queue.paused !== paused;
    queue.paused = paused;
    return changes;
  }

  flowControls(): FlowControlState[] {
    return this.#session.flowControls();
  }

  /** Forgets everything under way. */
  async reset(): Promise<void> {
    const ended = this.#session;
    this.clock.clear();
    this.#session = new DeliverySession(this.#context);
    await ended.end();
  }

  async close(): Promise<void> {
    this.clock.clear();
    await this.#session.end();
  }

  #start(message: Message, origin: CallbackOrigin | undefined): void {
    const delivery = new MessageDelivery(message, origin, this.#session, this);
    this.#session.started(delivery);
    delivery.start();
  }

  toRequest({ message, retried }: MessageDelivery): CallRequest {
    const { headerPrefix, signingKeys, deliveryTimeoutMs } = this.#context.settings;
    return toDeliveryRequest(message, retried, this.clock.base(), {
      headerPrefix,
      signingKey: signingKeys.current,
      defaultTimeoutMs: deliveryTimeoutMs,
    });
  }

  async call(request: CallRequest, session: DeliverySession): Promise<Attempt> {
    if (this.#context.settings.deliver === "any" || isLoopbackUrl(request.url))
      return session.caller.call(request);
    // Many messages to other machines fail at once; other users of this process are served in between.
    await setImmediate();
    return noAnswer("not called: only destinations on this machine are delivered to");
  }

  /** The wait before the next attempt; undefined if this was the last. */
  judge(delivery: MessageDelivery, attempt: Attempt, request: CallRequest): number | undefined {
    const { message, retried } = delivery;
    const { callback, failureCallback, maxRetries, retryDelay } = message.settings;
    const delivered = attempt.status >= 200 && attempt.status < 300;
    this.#record(delivery, attempt, delivered ? "delivered" : "failed");
    this.#callBack("callback", callback, message, { attempt, retried });
    if (delivered) return undefined;
    if (retried >= maxRetries || this.#isNonRetryable(attempt)) {
      const dlqId = this.#bury({ message, attempt, request });
      this.#callBack("failure-callback", failureCallback, message, { attempt, retried, dlqId });
      return undefined;
    }
    const waitMs =
      askedWaitMs(attempt.header, this.clock.base()) ?? retryDelay?.ms(retried) ?? retryLadderMs(retried + 1);
    return waitMs * this.#context.settings.retryScale;
  }

  lose({ message: { messageId, url } }: MessageDelivery, error: unknown): void {
    this.#context.journal.add({ type: "lost", messageId, url, error: String(error) });
  }

  #record(delivery: MessageDelivery, attempt: Attempt, outcome: "delivered" | "failed"): void {
    const { message, retried, origin } = delivery;
    const { messageId, url } = message;
    const { status, error } = attempt;
    if (origin === undefined) {
      this.#context.journal.add({ type: "delivery", messageId, url, retried, status, outcome, error });
      return;
    }
    this.#context.journal.add({
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
    report: { readonly attempt: Attempt; readonly retried: number; readonly dlqId?: string },
  ): void {
    if (target === undefined) return;
    this.#start(toCallbackMessage(target, source, report, this.clock.now()), { kind, source });
  }

  #isNonRetryable(attempt: Attempt): boolean {
    const wanted = `${this.#context.settings.headerPrefix}nonretryable-error`.toLowerCase();
    return (
      attempt.status === nonRetryableStatus &&
      Object.entries(attempt.header).some(
        ([name, values]) => name.toLowerCase() === wanted && values[0]?.trim().toLowerCase() === "true",
      )
    );
  }
}
