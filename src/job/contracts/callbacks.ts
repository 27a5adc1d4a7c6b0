import type { HeaderValues, MessageId } from "../message/dead-letter.ts";

export interface AttemptReport {
  readonly messageId: MessageId;
  /** Status of the destination's answer; 0: no answer. */
  readonly status: number;
  readonly retried: number;
  readonly maxRetries: number;
  /** When the message was published, Unix ms by the service's clock, if it says so. */
  readonly createdAt?: number;
  /** The message as it was sent to the destination. One of the two bodies is empty. */
  readonly sent: { readonly header: HeaderValues; readonly body: string; readonly bodyBase64: string };
}

/** How a call to the callback address ended, for metrics. Chaining, or its failure, counts besides. */
export const callbackOutcomes = [
  "delivered",
  /** The last attempt failed too. */
  "failed",
  "retrying",
  /** It belongs to no canary of this source. */
  "unknown",
  /** The signature is not the service's for this address and body, or its time is over. */
  "unverified",
  "unreadable",
  "too-large",
  /** Other calls use all the room for calls in hand. */
  "busy",
  /** The service accepted it for the message's own callback URL. */
  "chained",
  /** The service did not accept it, so it calls again. */
  "chain-failed",
] as const;
export type CallbackOutcome = (typeof callbackOutcomes)[number];
