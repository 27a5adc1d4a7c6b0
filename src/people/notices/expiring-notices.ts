import type { NoticeItem } from "../../job/contracts/notices.ts";
import { toMainFailure } from "./main-failure.ts";
import type { NoticeFacts } from "./notice-facts.ts";

/** When it was told, Unix ms, by drain; an empty name: that some have no copy. Absent: nothing expires soon. */
export type ExpiringMemory = Readonly<Record<string, number>>;

/** A drain with `beforeExpiry: within` of less is still told this early. */
const nearMs = 12 * 3_600_000;
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
    if (expiresAt === null || expiresAt - now > Math.max(nearMs, one.nearMs)) continue;
    tell(drain, () => ({
      drain,
      ...toMainFailure(failures, facts, ({ waiting, parked }) => waiting + parked),
      count: one.waiting + one.parked,
      figures: { expiresAt },
    }));
  }
  if (facts.uncopied > 0) {
    const nobody = { drain: null, destination: null, cause: null, failure: null };
    tell(uncopiedKey, () => ({ ...nobody, count: facts.uncopied, figures: { withoutCopy: facts.uncopied } }));
  }
  return { items, after };
}
