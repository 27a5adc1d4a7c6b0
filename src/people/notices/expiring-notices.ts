import type { StandingFailure } from "../../job/contracts/failures.ts";
import type { NoticeItem } from "../../job/contracts/notices.ts";
import { hourMs, sumOf } from "../read/totals.ts";
import { type NoticeFacts, toMainFailure } from "./notice-facts.ts";

/** When it was told, Unix ms, by drain; an empty name: that some have no copy. Absent: nothing expires soon. */
export type ExpiringMemory = Readonly<Record<string, number>>;

/** A drain with `beforeExpiry: within` of less is still told this early. */
const nearMs = 12 * hourMs;
const againMs = 86_400_000;
const uncopiedKey = "";

/** Drains whose oldest record expires soon, and records that have no copy. Told again after a day. */
export function toExpiringNotices(
  before: ExpiringMemory,
  facts: NoticeFacts,
  now: number,
): { readonly items: readonly NoticeItem[]; readonly after: ExpiringMemory } {
  const items: NoticeItem[] = [];
  const after: Record<string, number> = {};
  const tell = (key: string, toItem: () => NoticeItem): void => {
    const toldAt = before[key];
    const isNews = toldAt === undefined || now - toldAt >= againMs;
    after[key] = isNews ? now : toldAt;
    if (isNews) items.push(toItem());
  };
  for (const one of facts.drains) {
    const { drain, expiresAt, failures } = one;
    const soonMs = Math.max(nearMs, one.nearMs);
    if (expiresAt === null || expiresAt - now > soonMs) continue;
    const countOf = (failure: StandingFailure): number => expiringBetween(now, now + soonMs, failure);
    const expiring = sumOf(failures, countOf);
    // Zero: no full pass has counted by hours yet. At least the oldest expires.
    tell(drain, () => ({
      drain,
      ...toMainFailure(failures, facts, countOf),
      count: Math.max(1, expiring),
      figures: expiring === 0 ? { expiresAt, stillCounting: 1 } : { expiresAt },
    }));
  }
  if (facts.uncopied > 0) {
    const nobody = { drain: null, destination: null, cause: null, failure: null };
    tell(uncopiedKey, () => ({ ...nobody, count: facts.uncopied, figures: { withoutCopy: facts.uncopied } }));
  }
  return { items, after };
}

/** How many of a kind expire in hours that reach into this span (Unix ms). */
function expiringBetween(fromMs: number, toMs: number, { expires }: StandingFailure): number {
  const hours = Object.entries(expires).filter(
    ([hour]) => (Number(hour) + 1) * hourMs > fromMs && Number(hour) * hourMs < toMs,
  );
  return sumOf(hours, ([, count]) => count);
}
