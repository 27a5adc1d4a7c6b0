import { plainSettings } from "../publish/message-headers.ts";
import { newMessageId, type CallbackTarget, type Message } from "../publish/message.ts";
import type { Attempt } from "./http-caller.ts";

const callbackRetries = 3;

/** What a callback reports of one attempt. The failure callback also names the dead letter. */
function callbackBody(message: Message, attempt: Attempt, retried: number, dlqId?: string): Buffer {
  return Buffer.from(
    JSON.stringify({
      status: attempt.status,
      header: attempt.header,
      body: attempt.body.toString("base64"),
      retried,
      maxRetries: message.settings.maxRetries,
      dlqId,
      sourceMessageId: message.messageId,
      topicName: message.topicName,
      endpointName: message.endpointName,
      url: message.url,
      method: message.settings.method,
      sourceHeader: message.settings.header,
      sourceBody: message.body.toString("base64"),
      notBefore: message.notBefore,
      createdAt: message.createdAt,
      scheduleId: message.settings.scheduleId,
      callerIP: message.callerIp,
    }),
  );
}

/**
 * A callback is a message of its own: own id, own retries, and a dead letter of its own when it fails
 * finally. It has no callbacks. It quotes its source, so where that is redacted in any part, the callback's
 * record shows no body.
 */
export function toCallbackMessage(
  target: CallbackTarget,
  source: Message,
  report: { readonly attempt: Attempt; readonly retried: number; readonly dlqId?: string | undefined },
  now: number,
): Message {
  const { redaction } = source.settings;
  return {
    messageId: newMessageId(),
    url: target.url,
    body: callbackBody(source, report.attempt, report.retried, report.dlqId),
    settings: {
      ...plainSettings,
      header: { "Content-Type": ["application/json"], ...target.header },
      maxRetries: callbackRetries,
      redaction: redaction && { ...redaction, body: true },
    },
    createdAt: now,
    notBefore: now,
    callerIp: source.callerIp,
  };
}
