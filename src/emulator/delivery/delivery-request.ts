import { canonicalName } from "../publish/header-names.ts";
import { emptyHeaderMap, type HeaderMap, type Message } from "../publish/message.ts";
import type { CallRequest } from "./http-caller.ts";
import { sign } from "./signature.ts";

export interface Sender {
  readonly headerPrefix: string;
  readonly signingKey: string;
  readonly defaultTimeoutMs: number;
}

const userAgent = "Upstash-QStash";

/** The request that one attempt makes. `now` is the receiver's time: the signature is valid from then on. */
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
    header: withServiceHeaders(settings.header, sender.headerPrefix, {
      "Message-Id": message.messageId,
      Retried: String(retried),
      "Topic-Name": message.topicName,
      "Schedule-Id": settings.scheduleId,
      "Caller-Ip": message.callerIp,
      Signature: sign(sender.signingKey, url, body, now),
    }),
    body,
    timeoutMs: settings.timeoutMs ?? sender.defaultTimeoutMs,
  };
}

/** The message's own headers and those of the service; where both have one, the service's. */
function withServiceHeaders(
  own: HeaderMap,
  prefix: string,
  service: Readonly<Record<string, string | undefined>>,
): HeaderMap {
  const header = Object.assign(emptyHeaderMap(), own, { "User-Agent": [userAgent] });
  for (const [name, value] of Object.entries(service)) {
    if (value !== undefined) header[canonicalName(`${prefix}${name}`)] = [value];
  }
  return header;
}
