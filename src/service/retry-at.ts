import { headerOf, type HttpAnswer, type AnswerHeaders } from "./answer.ts";
import { parseHttpDate } from "../message/http-date.ts";

const missingWaitMs = 10_000;
const minWaitMs = 1_000;
/** A burst is over in seconds. A Retry-After or a burst's reset that is further away is a mistake, not a wish. */
const mostBurstMs = 15 * 60_000;
/** A daily quota is new within a day. */
const mostQuotaMs = 24 * 3_600_000;

/**
 * When a 429 lets us try again, in Unix ms of our clock. Retry-After (seconds or a date) wins; else the reset of the
 * limit that is used up: Burst-RateLimit-* or, for the daily quota, RateLimit-*. Points in time are judged against the answer's own
 * Date, so that a wrong clock on either side cancels out. Without any of them: 10 s from now. At least 1 s; at most 15 min, or 24 h for the
 * daily quota. What is longer than a few minutes is probed before its end (ports/source-pauses.ts).
 */
export function toRetryAt(answer: Pick<HttpAnswer, "headers" | "receivedAt">): number {
  const { headers, receivedAt } = answer;
  const serviceNow = parseHttpDate(headerOf(headers, "date")) ?? receivedAt;
  const waitMs = retryAfterMs(headers, serviceNow) ?? resetMs(headers, serviceNow) ?? missingWaitMs;
  return Math.round(receivedAt + Math.max(minWaitMs, waitMs));
}

function retryAfterMs(headers: AnswerHeaders, serviceNow: number): number | undefined {
  const text = headerOf(headers, "retry-after")?.trim();
  if (text === undefined) return undefined;
  const date = parseHttpDate(text);
  const waitMs = date === undefined ? numberWaitMs(text, serviceNow) : date - serviceNow;
  return waitMs === undefined ? undefined : Math.min(mostBurstMs, waitMs);
}

function resetMs(headers: AnswerHeaders, serviceNow: number): number | undefined {
  const limits = [
    { name: "burst-ratelimit", mostMs: mostBurstMs },
    { name: "ratelimit", mostMs: mostQuotaMs },
  ].flatMap(({ name, mostMs }) => {
    const waitMs = numberWaitMs(headerOf(headers, `${name}-reset`)?.trim(), serviceNow);
    const usedUp = headerOf(headers, `${name}-remaining`)?.trim() === "0";
    return waitMs === undefined ? [] : [{ waitMs: Math.min(mostMs, waitMs), usedUp }];
  });
  const usedUp = limits.filter((limit) => limit.usedUp).map((limit) => limit.waitMs);
  if (usedUp.length > 0) return Math.max(...usedUp);
  // Nothing says which limit it was: the sooner reset costs at most one more 429.
  return limits.length > 0 ? Math.min(...limits.map((limit) => limit.waitMs)) : undefined;
}

// Unix seconds are assumed (remote-contract); what is too large for seconds is ms, what is too small for this century
// is a number of seconds from now, as in the IETF draft of the same header.
function numberWaitMs(text: string | undefined, serviceNow: number): number | undefined {
  if (text === undefined || !/^\d+(?:\.\d+)?$/.test(text)) return undefined;
  const value = Number(text);
  if (value >= 1e11) return value - serviceNow;
  return value >= 1e9 ? value * 1000 - serviceNow : value * 1000;
}
