import { createHash, createHmac, randomUUID } from "node:crypto";
import { canonicalName } from "../publish/header-values.ts";
import { emptyHeaderMap, type HeaderMap, type Message } from "../publish/message.ts";
import type { CallRequest } from "./http-caller.ts";

interface Sender {
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

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const jwtHeader = encode({ alg: "HS256", typ: "JWT" });
const issuer = "Upstash";
const validSeconds = 300;

/** The JWT by which a receiver knows that this body was sent to this URL by the service, just now. */
function sign(key: string, url: string, body: Buffer, nowMs: number): string {
  const now = Math.floor(nowMs / 1_000);
  const claims = encode({
    iss: issuer,
    sub: url,
    exp: now + validSeconds,
    nbf: now,
    iat: now,
    jti: `jwt_${randomUUID()}`,
    body: createHash("sha256").update(body).digest("base64url"),
  });
  const signed = `${jwtHeader}.${claims}`;
  return `${signed}.${createHmac("sha256", key).update(signed).digest("base64url")}`;
}
