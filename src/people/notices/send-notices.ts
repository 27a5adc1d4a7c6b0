import { isPrivateHost } from "../../job/message/private-host.ts";
import { parseRetryMoment } from "../../job/message/retry-after.ts";
import { describeConnectionFailure, throughProxy } from "../../egress/connect-failure.ts";
import { proxyFor, type EgressConfig } from "../../egress/proxy-for.ts";
import type { Clock } from "../../job/contracts/clock.ts";
import type { NotifyTarget } from "../../job/contracts/drains-document.ts";
import { isRedriverError, RedriverError } from "../../job/contracts/errors.ts";
import type { NoticeAnswer, SendNotices } from "../../job/contracts/notices.ts";
import { toCloudEvent } from "./cloud-event.ts";
import { createPublicLookup, post, PrivateAddress } from "./post.ts";
import { toSlackMessage } from "./slack-message.ts";
import { createHmac } from "node:crypto";

/** From the start of the call to the end of what is read of the answer. */
const timeoutMs = 10_000;
/** A longer pause is not believed: notices would be given up meanwhile. */
const maxPauseMs = 3_600_000;
const maxShownBody = 300;

export interface SendParts {
  readonly target: Pick<NotifyTarget, "name" | "form" | "allowPrivate">;
  readonly url: string;
  /** Absent: not signed. */
  readonly secret?: string | undefined;
  readonly clock: Pick<Clock, "now">;
  readonly egress: EgressConfig;
  /** Where people reach the console; absent: messages have no links. */
  readonly consoleUrl?: string | undefined;
}

/** Messages of errors name the target and a proxy, and never the target's address. */
export function createSendNotices(parts: SendParts): SendNotices {
  const { target, url, secret, clock, egress, consoleUrl } = parts;
  const fail = (why: string, cause?: unknown, through = ""): RedriverError =>
    new RedriverError("notice-undelivered", `notify.${target.name}${through}: ${why}`, { cause });
  return async (notices, signal) => {
    const address = checkAddress(url, target.allowPrivate);
    if (typeof address === "string") throw fail(address);
    const proxy = proxyFor(address, egress);
    const through = throughProxy(proxy);
    const now = clock.now();
    const { toMessage, type } = forms[target.form];
    const body = JSON.stringify(toMessage(notices, consoleUrl, now));
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const answer = await post(address, {
        headers: {
          "content-type": `application/${type}; charset=utf-8`,
          "user-agent": "redriver",
          ...(secret === undefined ? {} : { [signatureHeader]: toSignature(secret, body, now) }),
        },
        body,
        signal: AbortSignal.any([signal, timeout]),
        proxy,
        ...(target.allowPrivate ? {} : { lookup: createPublicLookup() }),
      });
      return { ...toAnswer(answer, clock.now()), through };
    } catch (error) {
      if (isRedriverError(error)) throw error;
      if (signal.aborted) throw new RedriverError("stopped", "stopped before the answer", { cause: error });
      const why = timeout.aborted ? `no answer within ${timeoutMs} ms` : toReason(error);
      throw fail(why, error, through);
    }
  };
}

function checkAddress(text: string, allowPrivate: boolean): URL | string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !["http:", "https:"].includes(url.protocol)) return "its url is no http(s) address";
  if (allowPrivate) return url;
  if (isPrivateHost(url.hostname)) return "its url is a private address; allowPrivate: true would allow it";
  return url.protocol === "https:" ? url : "its url is no https address; allowPrivate: true would allow it";
}

const forms = {
  events: { toMessage: toCloudEvent, type: "cloudevents+json" },
  slack: { toMessage: toSlackMessage, type: "json" },
} satisfies Record<NotifyTarget["form"], object>;

function toAnswer(
  { status, body, retryAfter }: Awaited<ReturnType<typeof post>>,
  now: number,
): Omit<NoticeAnswer, "through"> {
  const retryAt = retryAfter === null ? null : parseRetryMoment(retryAfter, now);
  return {
    status,
    body: body.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").slice(0, maxShownBody),
    retryAt: retryAt === null ? null : Math.min(Math.max(retryAt, now), now + maxPauseMs),
  };
}

/** The code alone: the message of a failed lookup or connection has the address. */
function toReason(error: unknown): string {
  if (error instanceof PrivateAddress) return `${error.message}; allowPrivate: true would allow it`;
  return describeConnectionFailure(error);
}

export const signatureHeader = "redriver-signature";

/** `t=<Unix s>,v1=<hex HMAC-SHA256 of "t.body">`. `now`: Unix ms. */
export function toSignature(key: string, body: string, now: number): string {
  const seconds = Math.floor(now / 1_000);
  return `t=${seconds},v1=${createHmac("sha256", key).update(`${seconds}.${body}`).digest("hex")}`;
}
