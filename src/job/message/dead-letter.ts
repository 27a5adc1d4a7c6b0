declare const brand: unique symbol;
type Branded<Text extends string> = string & { readonly [brand]: Text };

/** A stream id, `<ms>-<seq>`; the ms part is when it entered the DLQ. Not a MessageId. */
export type DlqId = Branded<"DlqId">;
/** Identifies a message, `msg_…`. A redriven message gets a new one. */
export type MessageId = Branded<"MessageId">;
/** A deduplication id in the service's form: `[A-Za-z0-9_-]`. */
export type DeduplicationId = Branded<"DeduplicationId">;

/** A record exactly as listed. Its fields are not checked yet; unknown fields are kept. */
export type RawRecord = Readonly<Record<string, unknown>>;

/** Header names as listed, each with its values. Compare names without regard to case. */
export type HeaderValues = Readonly<Record<string, readonly string[]>>;

/** A record with a dlqId and the fields that a decision needs. Times are Unix milliseconds. Its texts are well formed. */
export interface DeadLetter {
  readonly dlqId: DlqId;
  readonly messageId: MessageId;
  /** When it entered the DLQ, by the service's clock: the ms part of dlqId. */
  readonly enteredAt: number;
  readonly createdAt: number;
  readonly url: string;
  readonly method: string;
  readonly header: HeaderValues;
  /** The body when it is UTF-8; empty when bodyBase64 is not. */
  readonly body: string;
  /** Base64 of a body with a non-UTF-8 character; empty otherwise. */
  readonly bodyBase64: string;
  readonly topicName?: string | undefined;
  readonly endpointName?: string | undefined;
  readonly queueName?: string | undefined;
  readonly maxRetries?: number | undefined;
  readonly retryDelayExpression?: string | undefined;
  readonly notBefore?: number | undefined;
  readonly callback?: string | undefined;
  readonly callbackHeader?: HeaderValues | undefined;
  readonly failureCallback?: string | undefined;
  readonly failureCallbackHeader?: HeaderValues | undefined;
  readonly scheduleId?: string | undefined;
  readonly callerIp?: string | undefined;
  readonly labels: readonly string[];
  readonly flowControlKey?: string | undefined;
  readonly rate?: number | undefined;
  /** Flow control period in seconds, as listed. */
  readonly period?: number | undefined;
  readonly parallelism?: number | undefined;
  /** Absent when there was no HTTP answer (listed as 0 or not at all). */
  readonly responseStatus?: number | undefined;
  readonly responseHeader: HeaderValues;
  readonly responseBody: string;
  readonly responseBodyBase64: string;
  readonly workflowRunId?: string | undefined;
  /** Present if its message has half a character, which is replaced here: why it cannot be sent as it was. */
  readonly brokenText?: "binary-body" | "bad-destination" | "unjoinable-header" | undefined;
}

/** Why a record cannot be a DeadLetter; it is parked by its id, if it has one, and never acted on. */
export interface UnusableRecord {
  /** Absent: it has none that a ledger could keep. */
  readonly dlqId?: DlqId;
  readonly reason: "no-dlq-id" | "malformed-record" | "unworkable";
  /** Names the field and the expectation; never has a value from the record. */
  readonly problem: string;
  /** Absent: it is not known which drains list it. */
  readonly raw?: RawRecord;
}

/** One item of POST /v2/batch (service-interface.md 2.1). It may have no other fields. */
export interface BatchItem {
  readonly destination: string;
  readonly queue?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}
