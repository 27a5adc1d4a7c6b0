/** What requests are told apart by, for faults, rate limits and counters. */
export const operations = ["batch", "publish", "list", "delete", "retry", "statistics", "manage"] as const;
export type Operation = (typeof operations)[number];

/** Everything that happens, one entry each. Bodies and header values are never in it. */
export type Happening =
  | {
      readonly type: "request";
      readonly operation: Operation;
      readonly method: string;
      readonly path: string;
      readonly query: string;
      /** 0 when the connection was dropped instead of answered. */
      readonly status: number;
      readonly durationMs: number;
    }
  | {
      readonly type: "accepted";
      readonly messageId: string;
      readonly url: string;
      readonly bodySha256: string;
      readonly position: number;
      readonly deduplicationId?: string | undefined;
      readonly topicName?: string | undefined;
      readonly queueName?: string | undefined;
    }
  | {
      readonly type: "deduplicated";
      readonly deduplicationId: string;
      readonly messageId: string;
      readonly position: number;
    }
  | {
      readonly type: "delivery";
      readonly messageId: string;
      readonly url: string;
      readonly retried: number;
      /** 0 when there was no HTTP answer; then `error` says why. */
      readonly status: number;
      readonly outcome: "delivered" | "failed";
      readonly error?: string | undefined;
    }
  | {
      readonly type: "callback";
      /** Of the message that the callback tells about. */
      readonly messageId: string;
      readonly callbackMessageId: string;
      readonly url: string;
      readonly kind: "callback" | "failure-callback";
      readonly retried: number;
      readonly status: number;
      readonly outcome: "delivered" | "failed";
    }
  | {
      readonly type: "dead-lettered";
      readonly messageId: string;
      readonly dlqId: string;
      readonly url: string;
      readonly responseStatus: number;
    }
  | {
      /** The emulator itself failed on a message, which ended with that: no attempt more, no dead letter. */
      readonly type: "lost";
      readonly messageId: string;
      readonly url: string;
      readonly error: string;
    }
  | {
      readonly type: "deleted";
      readonly dlqIds: readonly string[];
      readonly by: "ids" | "filters" | "retry" | "retention";
    }
  | {
      /** A dead letter went on its way again as a new message. */
      readonly type: "retried";
      readonly dlqId: string;
      readonly messageId: string;
      readonly newMessageId: string;
    }
  | { readonly type: "cancelled"; readonly messageId: string; readonly url: string }
  | { readonly type: "paused" | "resumed"; readonly queueName: string }
  | { readonly type: "seeded"; readonly records: number }
  /** Something was changed over the control API. */
  | { readonly type: "control"; readonly method: string; readonly path: string; readonly status: number }
  | { readonly type: "fault"; readonly name: string; readonly kind: string; readonly operation: Operation };

export type HappeningType = Happening["type"];

const types: Readonly<Record<HappeningType, true>> = {
  request: true,
  accepted: true,
  deduplicated: true,
  delivery: true,
  callback: true,
  "dead-lettered": true,
  lost: true,
  deleted: true,
  retried: true,
  cancelled: true,
  paused: true,
  resumed: true,
  seeded: true,
  control: true,
  fault: true,
};

export const happeningTypes: readonly string[] = Object.keys(types);
export const isHappeningType = (text: string): text is HappeningType => Object.hasOwn(types, text);

export type JournalEntry = Happening & { readonly seq: number; readonly at: number };
export type EntryOf<T extends HappeningType> = Extract<JournalEntry, { type: T }>;
