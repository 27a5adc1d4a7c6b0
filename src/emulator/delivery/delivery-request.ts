import type { HeaderMap, Message } from "../publish/message.ts";
import type { CallRequest } from "./http-call.ts";
import { sign } from "./signature.ts";

export interface Sender {
  readonly headerPrefix: string;
  readonly signingKey: string;
  readonly defaultTimeoutMs: number;
}

const userAgent = "Upstash-QStash";

/** The request that one attempt makes. */
export function toDeliveryRequest(
  message: Message,
  retried: number,
  now: number,
  sender: Sender,
): CallRequest {
  const { url, body, settings } = message;
  return {
    url,
    method: settings.method,
    header: serviceHeaders(settings.header, message.messageId, retried, url, body, now, sender),
    body,
    timeoutMs: settings.timeoutMs ?? sender.defaultTimeoutMs,
  };
}

/** The message's own headers and those of the service; where both have one, the service's. */
export function serviceHeaders(
  own: HeaderMap,
  messageId: string,
  retried: number,
  url: string,
  body: Buffer,
  now: number,
  { headerPrefix, signingKey }: Sender,
): HeaderMap {
  return {
    ...own,
    "User-Agent": [userAgent],
    [`${headerPrefix}Message-Id`]: [messageId],
    [`${headerPrefix}Retried`]: [String(retried)],
    [`${headerPrefix}Signature`]: [sign(signingKey, url, body, now)],
  };
}
