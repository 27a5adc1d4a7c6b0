import type { HeaderValues, MessageId } from "../message/dead-letter.ts";

/** The service's report on one attempt to deliver a message. */
export interface AttemptReport {
  readonly messageId: MessageId;
  /** Of the destination's answer; 0: there was none. */
  readonly status: number;
  /** 0 for the first attempt. */
  readonly retried: number;
  readonly maxRetries: number;
  /** What was sent to the destination. Of the two bodies one is empty. */
  readonly sent: { readonly header: HeaderValues; readonly body: string; readonly bodyBase64: string };
}

/**
 * How a call to the callback address ended, as a closed set for metrics. One that is chained, or is not,
 * counts for that as well.
 */
export const callbackOutcomes = [
  /** A canary was delivered. */
  "delivered",
  /** A canary has failed for good. */
  "failed",
  /** An attempt failed, and another follows. */
  "retrying",
  /** It is about no canary of this source. */
  "unknown",
  /** Not signed by the service for this address and body, or not now. */
  "unverified",
  /** Signed, and no callback that can be read. */
  "unreadable",
  "too-large",
  /** PeerReplicas are in hand that fill the room for them. */
  "busy",
  /** The message's own callback has it now: the service accepted it. */
  "chained",
  /** It was not accepted; the service calls again. */
  "chain-failed",
] as const;
export type CallbackOutcome = (typeof callbackOutcomes)[number];
