import type { HeaderMap, Message, Redaction } from "../publish/message.ts";
import type { Settings } from "../options.ts";

/** What belongs to a dead letter's message and its record does not show. It is in memory only, beside the store. */
export interface Withheld {
  /** Before redaction. */
  readonly body?: Buffer;
  /** Before redaction, and without what the service adds. */
  readonly header?: HeaderMap;
  readonly timeoutMs?: number;
  readonly redaction?: Redaction;
  readonly topicId?: string;
}

/** Undefined where the record shows everything, as most do. */
export function withheldOf(message: Message, shape: Pick<Settings, "recordHeaders">): Withheld | undefined {
  const { redaction, header, timeoutMs } = message.settings;
  const redactsHeaders =
    redaction !== undefined && (redaction.headers === "all" || redaction.headers.size > 0);
  const withheld: Withheld = {
    ...(redaction?.body === true ? { body: message.body } : {}),
    ...(redactsHeaders || shape.recordHeaders === "sent" ? { header } : {}),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(redaction === undefined ? {} : { redaction }),
    ...(message.topicId === undefined ? {} : { topicId: message.topicId }),
  };
  return Object.keys(withheld).length === 0 ? undefined : withheld;
}
