import { headerOf, type Answer, type AnswerHeaders } from "./answer.ts";
import { parseHttpDate } from "./http-date.ts";

const missingWaitMs = 10_000;
const minWaitMs = 1_000;
// The longest quota is a day; one hour more for clocks. A header that asks for longer is a mistake, not a wish.
const maxWaitMs = 25 * 3_600_000;

/**
 * When a 429 lets us try again, in Unix ms of our clock. Retry-After (seconds or a date) wins; else the reset of the
 * limit that is used up: Burst-RateLimit-* or, for the daily quota, RateLimit-*. Points in time are judged against the answer's own
 * Date, so that a wrong clock on either side cancels out. Without any of them: 10 s from now. Always 1 s to 25 h from now.
 */
export function toRetryAt(answer: Pick<Answer, "headers" | "receivedAt">): number {
  const { headers, receivedAt } = answer;
  const serviceNow = parseHttpDate(headerOf(headers, "date")) ?? receivedAt;
  const waitMs = retryAfterMs(headers, serviceNow) ?? resetMs(headers, serviceNow) ?? missingWaitMs;
  return Math.round(receivedAt + Math.min(maxWaitMs, Math.max(minWaitMs, waitMs)));
}

function retryAfterMs(headers: AnswerHeaders, serviceNow: number): number | undefined {
  const text = headerOf(headers, "retry-after")?.trim();
  if (text === undefined) return undefined;
  if (/^\d+(?:\.\d+)?$/.test(text)) return Number(text) * 1000;
  const date = parseHttpDate(text);
  return date === undefined ? undefined : date - serviceNow;
}

function resetMs(headers: AnswerHeaders, serviceNow: number): number | undefined {
  const limits = ["burst-ratelimit", "ratelimit"].flatMap((name) => {
    const waitMs = resetWaitMs(headerOf(headers, `${name}-reset`), serviceNow);
    return waitMs === undefined
      ? []
      : [{ waitMs, usedUp: headerOf(headers, `${name}-remaining`)?.trim() === "0" }];
  });
  const usedUp = limits.filter((limit) => limit.usedUp).map((limit) => limit.waitMs);
  if (usedUp.length > 0) return Math.max(...usedUp);
  // Nothing says which limit it was: the sooner reset costs at most one more 429.
  return limits.length > 0 ? Math.min(...limits.map((limit) => limit.waitMs)) : undefined;
}

// Unix seconds are assumed (remote-contract); what is too large for seconds is ms, what is too small for this century
// is a number of seconds from now, as in the IETF draft of the same header.
function resetWaitMs(text: string | undefined, serviceNow: number): number | undefined {
  if (text === undefined || !/^\d+(?:\.\d+)?$/.test(text.trim())) return undefined;
  const value = Number(text);
  if (value >= 1e11) return value - serviceNow;
  return value >= 1e9 ? value * 1000 - serviceNow : value * 1000;
}
