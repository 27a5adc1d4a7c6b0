import { parseRetryMoment } from "../message/retry-after.ts";
import type { NamedLimit } from "../contracts/call-shares.ts";
import { headerOf, serviceNowOf, type HttpAnswer } from "./http-answer.ts";

/** Within longer windows no call is worth waiting for its moment; a pause is enough. */
const maxWindowMs = 10_000;
/** Clocks that differ by less do not make a window longer. */
const clockSlackMs = 250;

/**
 * The limit that the headers of an answer name; null: none. The service does not say how long a window is, so
 * it is as long as what is left of it, in whole seconds.
 */
export function readBurstLimit(
  answer: Pick<HttpAnswer, "status" | "headers" | "receivedAt">,
): NamedLimit | null {
  const { status, headers } = answer;
  const said = headerOf(headers, "burst-ratelimit-limit");
  if (said === undefined) return null;
  const calls = Number(said);
  const now = serviceNowOf(answer);
  const resetAt = parseRetryMoment(headerOf(headers, "burst-ratelimit-reset") ?? "", now) ?? now + 1_000;
  const resetInMs = Math.max(0, resetAt - now);
  const windowMs = Math.max(1_000, Math.ceil((resetInMs - clockSlackMs) / 1_000) * 1_000);
  if (!Number.isSafeInteger(calls) || calls < 1 || windowMs > maxWindowMs) return null;
  return { calls, windowMs, resetInMs, isUsedUp: status === 429 };
}
