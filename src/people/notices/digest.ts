import type { NotifyTarget } from "../../job/contracts/drains-document.ts";
import type { DigestBase, NoticeItem } from "../../job/contracts/notices.ts";
import { sumOf } from "../read/totals.ts";
import { wantsDrain } from "./narrow-to-target.ts";
import type { NoticeFacts } from "./notice-facts.ts";

/** A job that runs twice is no second digest; no cron pattern of five fields comes sooner. */
export const minDigestGapMs = 30_000;

export function toDigestBase(
  facts: NoticeFacts,
  target: Pick<NotifyTarget, "drains">,
  now: number,
): DigestBase {
  const own = facts.drains.filter(({ drain }) => wantsDrain(target, drain));
  return {
    at: now,
    published: sumOf(own, ({ published }) => published),
    failedAgain: sumOf(own, ({ failedAgain }) => failedAgain),
  };
}

/** What happened since `before`, and what is left. Pure. */
export function toDigestItem(
  before: DigestBase | null,
  base: DigestBase,
  facts: NoticeFacts,
  target: Pick<NotifyTarget, "drains">,
): NoticeItem {
  const own = facts.drains.filter(({ drain }) => wantsDrain(target, drain));
  const since = before?.at ?? 0;
  // Counts fall if Redis loses them.
  const published = Math.max(0, base.published - (before?.published ?? 0));
  const failures = [...facts.kinds.values()].filter(
    ({ drain, firstMetAt }) => wantsDrain(target, drain) && firstMetAt > since,
  );
  const expiries = own.flatMap(({ expiresAt }) => expiresAt ?? []);
  return {
    drain: null,
    destination: null,
    cause: null,
    failure: null,
    count: published,
    figures: {
      ...(before === null ? {} : { since }),
      published,
      failedAgain: Math.max(0, base.failedAgain - (before?.failedAgain ?? 0)),
      newFailures: failures.length,
      waiting: sumOf(own, ({ waiting }) => waiting),
      heldByRules: sumOf(own, ({ heldByRules }) => heldByRules),
      parked: sumOf(own, ({ parked }) => parked),
      withoutCopy: target.drains === undefined ? facts.uncopied : 0,
      ...(expiries.length === 0 ? {} : { expiresAt: Math.min(...expiries) }),
    },
  };
}
