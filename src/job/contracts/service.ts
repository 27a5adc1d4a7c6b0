import type { Clock } from "./clock.ts";
import type { DlqId, MessageId, RawRecord } from "../message/dead-letter.ts";
import type { EncodedItem } from "../message/encode-item.ts";
import type { Select } from "../message/select.ts";

export interface ListQuery {
  readonly select: Select;
  /** Inclusive, Unix ms. */
  readonly fromDate?: number;
  /** Inclusive, Unix ms. */
  readonly toDate?: number;
  readonly cursor?: string;
  /** At most 100, and then no other filter. For services that list by them (SourceConfig.listByIds). */
  readonly dlqIds?: readonly DlqId[];
  /** 1 to 100. */
  readonly count: number;
  /** A longer answer is not read to its end: `answer-too-large`. Absent: as long as any answer may be. */
  readonly maxBytes?: number;
  /** Called when an answer begins, with its declared length. False fails the call as `answer-too-large`. */
  readonly mayRead?: MayRead;
}

export type MayRead = (saidBytes: number | undefined) => boolean;

export interface ListPage {
  /** The caller's own: it may empty the array. */
  readonly records: RawRecord[];
  readonly cursor?: string;
  readonly bytes?: number;
}

/** Of all its messages, not only ours. Nothing waits while `count` is below `max`. `isAbsent`: not told. */
export type ServiceLoad = { readonly count: number; readonly max: number } | { readonly isAbsent: true };

export type ServiceLoadThen = ServiceLoad & { readonly at: number };

/** The proof of one position of a batch answer about its item. */
export type ItemOutcome =
  | { readonly kind: "accepted"; readonly messageId: MessageId; readonly deduplicated: boolean }
  | { readonly kind: "refused"; readonly error: string }
  | { readonly kind: "in-doubt"; readonly why: string };

/** Expected outcomes of a publish are values. */
export type BatchOutcome =
  /** One outcome per item, in request order. */
  | { readonly kind: "answered"; readonly items: readonly ItemOutcome[] }
  /** The whole call was refused (400, 412, 413, 422, `quota …`) and nothing was accepted; bisect. */
  | {
      readonly kind: "refused";
      readonly status: number;
      readonly error: string;
      readonly bisectBy: "count" | "bytes";
    }
  /** Certainly not accepted: no connection, a 429, a withheld last byte, or no call (a source pause). */
  | {
      readonly kind: "not-sent";
      readonly why: "connect" | "rate-limited" | "too-late" | "stopped" | "resting";
      readonly error: string;
      /** Unix ms before which the source must not be called. */
      readonly retryAt?: number;
    }
  /** Sent, and no answer that proves anything: reconcile. */
  | {
      readonly kind: "in-doubt";
      readonly error: string;
      /** It answered success in an undocumented shape. */
      readonly unreadable?: true;
    }
  /** 3xx and other 4xx, but 408 and 429: the source is misconfigured, and publishing to it halts. */
  | { readonly kind: "misconfigured"; readonly status: number; readonly error: string };

/**
 * The message service of one source.
 *
 * Guarantees: every call ends within its timeout or when its signal aborts, and the socket is then reset.
 * Nothing is retried inside. Failures of list and remove are RedriverErrors (`service-unavailable`,
 * `service-timeout`, `rate-limited`, `unauthorised`, `source-misconfigured`, `answer-unreadable`,
 * `answer-too-large`, `request-refused`, `service-resting`, `stopped`). Not part of this contract: order of
 * listings; a delete by filter, which cannot be expressed.
 */
export interface MessageService {
  list(query: ListQuery, signal?: AbortSignal): Promise<ListPage>;
  /**
   * Publishes 1 to 100 items in one POST /v2/batch. `encodedItems` are in order.
   * `lastByteAllowed` is called right before the last byte of the body is yielded. `false` leaves the body
   * incomplete, which cannot be accepted (`not-sent`, `too-late`).
   */
  publish(
    encodedItems: readonly EncodedItem[],
    lastByteAllowed: () => boolean,
    signal?: AbortSignal,
  ): Promise<BatchOutcome>;
  /** Deletes exactly these, at most 100; `deleted` may be lower than asked. */
  remove(dlqIds: readonly [DlqId, ...DlqId[]], signal?: AbortSignal): Promise<{ readonly deleted: number }>;
  /**
   * The service's clock minus ours in ms, from the Date headers (whole seconds, so up to 1 s behind).
   * `careful`, the default: the earliest while answers contradict each other; undefined before the first.
   * `agreed`: the last value that they agreed on; undefined before that.
   */
  clockOffsetMs(of?: "careful" | "agreed"): number | undefined;
}

/** Beside the interface that we were given, so apart from it. */
export interface ServiceLoadReader {
  /** GET /v2/globalParallelism. `isAbsent`: it is not there (404, 405, 501). Fails as a listing does. */
  load(signal?: AbortSignal): Promise<ServiceLoad>;
}

/** Beside the interface that we were given too, and off unless a source has `serviceRetry`. */
export interface ServiceRetrier {
  /**
   * Lets the service publish this dead letter itself, and take it out of the DLQ in the same step. So a second call
   * doubles nothing. Not made if `mayBeSent` is false right before it. Fails as `remove` does.
   */
  retry(dlqId: DlqId, mayBeSent: () => boolean, signal?: AbortSignal): Promise<ItemOutcome>;
}

/** A flow control key of the account. `waiting`: its messages that wait; null: the service does not say. */
export interface FlowKey {
  readonly key: string;
  readonly isPaused: boolean;
  readonly waiting: number | null;
}

/** Beside the interface too, and off unless a source has `brake`. Both fail as a listing does. */
export interface FlowKeySteerer {
  /** In one GET /v2/flowControl. Null: the service does not have it (404, 405, 501). */
  flowKeys(signal?: AbortSignal): Promise<readonly FlowKey[] | null>;
  /** New messages of a paused key wait too. Null: as above. */
  steer(key: string, to: "pause" | "resume"): Promise<true | null>;
}

export interface ServiceTime {
  readonly clock: Pick<Clock, "now">;
  readonly service: Pick<MessageService, "clockOffsetMs">;
}

/** By the service's clock, up to 1 s early: that makes a record look younger and only holds it longer. */
export function serviceNow(source: ServiceTime): number {
  return source.clock.now() + (source.service.clockOffsetMs() ?? 0);
}
