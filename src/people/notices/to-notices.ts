import type { SourceId } from "../../job/contracts/ids.ts";
import {
  maxNoticeItems,
  type Notice,
  type NoticeEvent,
  type NoticeItem,
} from "../../job/contracts/notices.ts";
import { toBacklogNotices, type BacklogMemory } from "./backlog-notices.ts";
import { toDestinationNotices, type HaltedMemory } from "./destination-notices.ts";
import { toExpiringNotices, type ExpiringMemory } from "./expiring-notices.ts";
import { toFailureNotices, type FailureMemory } from "./failure-notices.ts";
import type { NoticeFacts } from "./notice-facts.ts";
import { toParkedNotices, type ParkedMemory } from "./parked-notices.ts";

/** What was told of a source, and what an evaluation must know of the one before. Kept as JSON. */
export interface NoticeMemory {
  readonly backlogs: Readonly<Record<string, BacklogMemory>>;
  readonly parked: Readonly<Record<string, ParkedMemory>>;
  readonly halted: HaltedMemory;
  readonly failures: FailureMemory;
  readonly expiring: ExpiringMemory;
}

export type NoticeNews = readonly (readonly [event: NoticeEvent, items: readonly NoticeItem[]])[];

/** At most one entry per event. Pure. `before`: null at the first evaluation. `now`: Unix ms. */
export function toNotices(
  before: NoticeMemory | null,
  facts: NoticeFacts,
  now: number,
): { readonly news: NoticeNews; readonly after: NoticeMemory } {
  const began: NoticeItem[] = [];
  const ended: NoticeItem[] = [];
  const parked: NoticeItem[] = [];
  const backlogs: Record<string, BacklogMemory> = {};
  const parkedAfter: Record<string, ParkedMemory> = {};
  for (const drain of facts.drains) {
    const backlog = toBacklogNotices(before?.backlogs[drain.drain], drain, facts, now);
    if (backlog.began !== undefined) began.push(backlog.began);
    if (backlog.ended !== undefined) ended.push(backlog.ended);
    backlogs[drain.drain] = backlog.after;
    const newly = toParkedNotices(before?.parked[drain.drain], drain, facts, now);
    parked.push(...newly.items);
    parkedAfter[drain.drain] = newly.after;
  }
  const destinations = toDestinationNotices(before?.halted ?? {}, facts);
  const failures = toFailureNotices(before?.failures ?? null, facts, now);
  const expiring = toExpiringNotices(before?.expiring ?? {}, facts, now);
  const news: NoticeNews = [
    ["backlog.began", began],
    ["failure.new", failures.items],
    ["destination.halted", destinations.halted],
    ["destination.resumed", destinations.resumed],
    ["parked.new", parked],
    ["expiring.soon", expiring.items],
    ["backlog.ended", ended],
  ];
  return {
    news: news.filter(([, items]) => items.length > 0),
    after: {
      backlogs,
      parked: parkedAfter,
      halted: destinations.after,
      failures: failures.after,
      expiring: expiring.after,
    },
  };
}

/** One notice of these items, the largest first. `number`: tells it from others of the same moment. */
export function toNotice(
  event: Notice["event"],
  items: readonly NoticeItem[],
  { source, at, number }: { readonly source: SourceId; readonly at: number; readonly number: string },
): Notice {
  const sorted = items.toSorted((one, other) => other.count - one.count);
  return {
    id: `${at}-${source}-${number}`,
    event,
    at,
    source,
    items: sorted.slice(0, maxNoticeItems),
    more: Math.max(0, sorted.length - maxNoticeItems),
  };
}
