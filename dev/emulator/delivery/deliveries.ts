import { setImmediate } from "node:timers/promises";
import type { EmulatorContext } from "../context.ts";
import type { CallbackTarget, Message } from "../publish/message.ts";
import { toCallbackMessage } from "./callback-message.ts";
import { toDeliveryRequest } from "./delivery-request.ts";
import { FlowControlByKey } from "./flow-control-by-key.ts";
import { HttpCaller, noAnswer, type Attempt, type CallRequest } from "./http-caller.ts";
import type { MessageLog } from "../logs/message-log.ts";
import { isLoopbackUrl } from "./loopback.ts";
import { MessageDelivery, type CallbackOrigin, type DeliveryWays } from "./message-delivery.ts";
import { askedWaitMs, retryLadderMs } from "./retry-waits.ts";
import { QueueTurns, Turns } from "./concurrency-limits.ts";

const nonRetryableStatus = 489;

export interface FinalFailure {
  readonly message: Message;
  readonly attempt: Attempt;
  readonly request: CallRequest;
}

/**
 * Carries messages, and callbacks, which are messages too, to their destinations, up to the next reset. How
 * one moves is in `MessageDelivery`; here is what it moves through (connections, turns, queues, flow control
 * keys) and what an attempt means: journal, callbacks, another attempt, dead letter. What is still under way
 * when this ends finds `ended` true and leaves no trace.
 */
export class Deliveries implements DeliveryWays {
  readonly #context: EmulatorContext;
  readonly #log: MessageLog;
  readonly #bury: (failure: FinalFailure) => string;
  readonly #caller: HttpCaller;
  readonly slots: Turns;
  readonly flowControl: FlowControlByKey;
  ended = false;
  #pending = 0;
  readonly #underWay = new Map<string, MessageDelivery>();
  readonly #queues = new Map<string, QueueTurns>();
  #idleWatchers: (() => void)[] = [];

  /** `bury` keeps the message as a dead letter and returns its dlqId. */
  constructor(context: EmulatorContext, log: MessageLog, bury: (failure: FinalFailure) => string) {
    const { maxInFlight, maxResponseBytes, serveOrder } = context.settings;
    this.#context = context;
    this.#log = log;
    this.#bury = bury;
    this.#caller = new HttpCaller(maxInFlight, maxResponseBytes);
    this.slots = new Turns(maxInFlight, serveOrder);
    this.flowControl = new FlowControlByKey(context.clock);
  }

  get clock(): EmulatorContext["clock"] {
    return this.#context.clock;
  }

  /** Messages and callbacks that have not ended yet, those that wait for a retry included. */
  get pending(): number {
    return this.#pending;
  }

  idle(): Promise<void> {
    if (this.pending === 0 || this.ended) return Promise.resolve();
    return new Promise((resolve) => this.#idleWatchers.push(resolve));
  }

  send(message: Message, origin?: CallbackOrigin): void {
    const delivery = new MessageDelivery(message, origin, this);
    this.#pending++;
    this.#underWay.set(message.messageId, delivery);
    this.#log.add(message, "CREATED", { nextDeliveryTime: message.notBefore });
    delivery.start();
  }

  find(messageId: string): MessageDelivery | undefined {
    return this.#underWay.get(messageId);
  }

  list(): MessageDelivery[] {
    return [...this.#underWay.values()];
  }

  /**
   * The message is never delivered again and leaves neither dead letter nor callback. A call under way is let
   * finish without a consequence; until then it keeps its queue's turn and its share. False where nothing has
   * this id.
   */
  cancel(messageId: string): boolean {
    const delivery = this.find(messageId);
    if (delivery === undefined) return false;
    this.#underWay.delete(messageId);
    this.#context.journal.add({ type: "cancelled", messageId, url: delivery.message.url });
    this.#log.add(delivery.message, "CANCELED");
    delivery.cancel();
    return true;
  }

  finished(messageId: string): void {
    this.#underWay.delete(messageId);
    this.#pending--;
    if (this.pending === 0) this.#wakeWatchers();
  }

  async end(): Promise<void> {
    this.ended = true;
    this.clock.clear();
    this.#underWay.clear();
    this.#wakeWatchers();
    await this.#caller.close();
  }

  queue(name: string): QueueTurns {
    let queue = this.#queues.get(name);
    if (queue === undefined) this.#queues.set(name, (queue = new QueueTurns()));
    return queue;
  }

  /**
   * As many messages of a queue are under way at once. A paused queue delivers nothing, retries included,
   * until it is resumed; a call under way is let finish. Returns whether it was paused or resumed by this.
   */
  setQueue(name: string, parallelism: number, paused: boolean): boolean {
    const queue = this.queue(name);
    queue.turns.limit = parallelism;
    const changes = queue.paused !== paused;
    queue.paused = paused;
    return changes;
  }

  async attempt(delivery: MessageDelivery): Promise<number | undefined> {
    try {
      const request = this.#toRequest(delivery);
      this.#log.add(delivery.message, "ACTIVE");
      const attempt = await this.#call(request);
      if (this.ended || delivery.isCancelled) return undefined;
      return this.#judge(delivery, attempt, request);
    } catch (error) {
      const { messageId, url } = delivery.message;
      if (!this.ended) this.#context.journal.add({ type: "lost", messageId, url, error: String(error) });
      return undefined;
    }
  }

  #toRequest({ message, retried }: MessageDelivery): CallRequest {
    const { headerPrefix, signingKeys, deliveryTimeoutMs } = this.#context.settings;
    return toDeliveryRequest(message, retried, this.clock.base(), {
      headerPrefix,
      signingKey: signingKeys.current,
      defaultTimeoutMs: deliveryTimeoutMs,
    });
  }

  async #call(request: CallRequest): Promise<Attempt> {
    if (this.#context.settings.deliver === "any" || isLoopbackUrl(request.url)) {
      return this.#caller.call(request);
    }
    // Many messages to other machines fail at once; other users of this process are served in between.
    await setImmediate();
    return noAnswer("not called: only destinations on this machine are delivered to");
  }

  /** The wait before the next attempt; undefined if this was the last. */
  #judge(delivery: MessageDelivery, attempt: Attempt, request: CallRequest): number | undefined {
    const { message, retried } = delivery;
    const { callback, failureCallback, maxRetries, retryDelay } = message.settings;
    const delivered = attempt.status >= 200 && attempt.status < 300;
    this.#record(delivery, attempt, delivered ? "delivered" : "failed");
    this.#logOutcome(message, attempt, delivered);
    this.#callBack("callback", callback, message, { attempt, retried });
    if (delivered) return undefined;
    if (retried >= maxRetries || this.#isNonRetryable(attempt)) {
      const dlqId = this.#bury({ message, attempt, request });
      this.#log.add(message, "FAILED");
      this.#callBack("failure-callback", failureCallback, message, { attempt, retried, dlqId });
      return undefined;
    }
    const waitMs =
      askedWaitMs(attempt.header, this.clock.base()) ?? retryDelay?.ms(retried) ?? retryLadderMs(retried + 1);
    const scaledMs = waitMs * this.#context.settings.retryScale;
    this.#log.add(message, "RETRY", { nextDeliveryTime: Math.round(this.clock.now() + scaledMs) });
    return scaledMs;
  }

  #logOutcome(message: Message, { status, header, error }: Attempt, delivered: boolean): void {
    if (delivered) this.#log.add(message, "DELIVERED");
    else {
      const why = error ?? `the destination answered ${status}`;
      this.#log.add(message, "ERROR", {
        error: why,
        responseStatus: status === 0 ? undefined : status,
        responseHeaders: header,
      });
    }
  }

  #record(delivery: MessageDelivery, attempt: Attempt, outcome: "delivered" | "failed"): void {
    const { message, retried, origin } = delivery;
    const { messageId, url } = message;
    const { status, error } = attempt;
    const { journal } = this.#context;
    if (origin === undefined) {
      journal.add({ type: "delivery", messageId, url, retried, status, outcome, error });
      return;
    }
    const { kind, source } = origin;
    const ids = { messageId: source.messageId, callbackMessageId: messageId };
    journal.add({ type: "callback", ...ids, url, kind, retried, status, outcome });
  }

  #callBack(
    kind: CallbackOrigin["kind"],
    target: CallbackTarget | undefined,
    source: Message,
    report: { readonly attempt: Attempt; readonly retried: number; readonly dlqId?: string },
  ): void {
    if (target === undefined) return;
    this.send(toCallbackMessage(target, source, report, this.clock.now()), { kind, source });
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

  #wakeWatchers(): void {
    const watchers = this.#idleWatchers;
    this.#idleWatchers = [];
    for (const wake of watchers) wake();
  }
}
