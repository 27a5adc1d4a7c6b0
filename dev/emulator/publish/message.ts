import { randomBytes } from "node:crypto";
import type { RetryDelay } from "./retry-delay.ts";

/** Names in canonical form (`Content-Type`), each with its values. */
export type HeaderMap = Record<string, string[]>;

/** Without a prototype: `__proto__` is a legal header name. */
export const emptyHeaderMap = (): HeaderMap => Object.create(null) as HeaderMap;

export interface FlowControlLimits {
  readonly key: string;
  readonly parallelism?: number | undefined;
  readonly rate?: number | undefined;
  readonly periodSeconds?: number | undefined;
}

export interface CallbackTarget {
  readonly url: string;
  /** Headers the callback request carries, from `<P>Callback-Forward-…`. */
  readonly header: HeaderMap;
}

export interface Redaction {
  readonly body: boolean;
  /** "all", or names in canonical form. */
  readonly headers: "all" | ReadonlySet<string>;
}

export interface MessageSettings {
  readonly method: string;
  /** What the destination gets: Content-Type and the forwarded headers. */
  readonly header: HeaderMap;
  readonly maxRetries: number;
  readonly retryDelay?: RetryDelay | undefined;
  readonly delayMs?: number | undefined;
  /** Unix seconds; wins over the delay. */
  readonly notBeforeSeconds?: number | undefined;
  readonly timeoutMs?: number | undefined;
  readonly callback?: CallbackTarget | undefined;
  readonly failureCallback?: CallbackTarget | undefined;
  readonly labels: readonly string[];
  readonly scheduleId?: string | undefined;
  readonly flowControl?: FlowControlLimits | undefined;
  readonly deduplicationId?: string | undefined;
  readonly contentBasedDeduplication: boolean;
  readonly redaction?: Redaction | undefined;
}

export interface Message {
  readonly messageId: string;
  readonly url: string;
  readonly body: Buffer;
  readonly settings: MessageSettings;
  readonly createdAt: number;
  /** Milliseconds; `createdAt` where no delay was asked for. */
  readonly notBefore: number;
  readonly callerIp: string;
  readonly queueName?: string | undefined;
  readonly topicName?: string | undefined;
  readonly topicId?: string | undefined;
  readonly endpointName?: string | undefined;
}

/** A message without its body. */
export type MessageFacts = Omit<Message, "body">;

/** `msg_` and 24 characters that carry no order and no meaning. */
export function newMessageId(): string {
  return `msg_${randomBytes(18).toString("base64url").replaceAll("-", "A").replaceAll("_", "B")}`;
}
