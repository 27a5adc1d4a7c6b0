import { newMessageId } from "../ids.ts";
import type { CallbackTarget, Message } from "../publish/message.ts";
import { serviceHeaders, type Sender } from "./delivery-request.ts";
import type { Attempt, CallRequest } from "./http-call.ts";

/** What a callback tells about one attempt. The failure callback also names the dead letter. */
export function callbackBody(message: Message, attempt: Attempt, retried: number, dlqId?: string): Buffer {
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
      callerIP: message.callerIp,
    }),
  );
}

/** A callback is a message of its own, with an id of its own. */
export function toCallbackRequest(
  target: CallbackTarget,
  body: Buffer,
  now: number,
  sender: Sender,
): (retried: number) => CallRequest {
  const messageId = newMessageId();
  const own = { "Content-Type": ["application/json"], ...target.header };
  return (retried) => ({
    url: target.url,
    method: "POST",
    header: serviceHeaders(own, messageId, retried, target.url, body, now, sender),
    body,
    timeoutMs: sender.defaultTimeoutMs,
  });
}
