import { headerOf, serviceNowOf, type AnswerHeaders, type HttpAnswer } from "./http-answer.ts";
import { parseRetryMoment } from "../message/retry-after.ts";

const missingWaitMs = 10_000;
const minWaitMs = 1_000;
/** So long after a point in time that the service named: clocks that differ a little cost no further 429. */
const slackMs = 50;
/** A burst is over in seconds. A Retry-After or a burst's reset beyond this is a mistake. */
const maxBurstMs = 15 * 60_000;
/** A daily quota is new within a day. */
const maxQuotaMs = 24 * 3_600_000;

/**
 * The time at which a 429 lets us try again, in Unix ms of our clock. Retry-After (seconds or a date) wins. Else the
 * used-up limit's reset counts: Burst-RateLimit-* or, for the daily quota, RateLimit-*. Points in time are compared
 * with the answer's own Date, so that a wrong clock on either side cancels out. Without any of them: 10 s from now. At
 * least 1 s, unless the named point in time is sooner and our clock agrees with the Date; at most 15 min, or 24 h for
 * the daily quota. A wait of more than a few minutes is probed before its end (contracts/source-pauses.ts).
 */
export function toRetryAt(answer: Pick<HttpAnswer, "headers" | "receivedAt">): number {
  const { headers, receivedAt } = answer;
  const isExact = serviceNowOf(answer) === receivedAt;
  const serviceNow = isExact ? receivedAt - slackMs : serviceNowOf(answer);
  const waitMs = (name: string, maxMs: number): number | undefined => {
    const at = parseRetryMoment(headerOf(headers, name) ?? "", serviceNow);
    return at === null ? undefined : Math.min(maxMs, at - serviceNow);
  };
  const chosenMs = waitMs("retry-after", maxBurstMs) ?? resetMs(headers, waitMs) ?? missingWaitMs;
  return Math.round(receivedAt + (isExact && chosenMs > slackMs ? chosenMs : Math.max(minWaitMs, chosenMs)));
}

function resetMs(
  headers: AnswerHeaders,
  waitMs: (name: string, maxMs: number) => number | undefined,
): number | undefined {
  const limits = [
    { name: "burst-ratelimit", maxMs: maxBurstMs },
    { name: "ratelimit", maxMs: maxQuotaMs },
  ].flatMap(({ name, maxMs }) => {
    const resetsInMs = waitMs(`${name}-reset`, maxMs);
    const usedUp = headerOf(headers, `${name}-remaining`)?.trim() === "0";
    return resetsInMs === undefined ? [] : [{ resetsInMs, usedUp }];
  });
  const usedUp = limits.filter((limit) => limit.usedUp).map((limit) => limit.resetsInMs);
  if (usedUp.length > 0) return Math.max(...usedUp);
  // Nothing shows which limit it was: the sooner reset costs at most one more 429.
  return limits.length > 0 ? Math.min(...limits.map((limit) => limit.resetsInMs)) : undefined;
}
