import type { NotifyTarget } from "../../job/contracts/drains-document.ts";
import type { DrainName, SourceId } from "../../job/contracts/ids.ts";
import type { NoticeNews } from "./to-notices.ts";

export function narrowToTarget(
  news: NoticeNews,
  source: SourceId,
  target: Pick<NotifyTarget, "events" | "sources" | "drains">,
): NoticeNews {
  if (!wantsSource(target, source)) return [];
  return news.flatMap(([event, all]) => {
    const items = target.events.includes(event) ? all.filter(({ drain }) => wantsDrain(target, drain)) : [];
    return items.length === 0 ? [] : [[event, items] as const];
  });
}

export function wantsSource({ sources }: Pick<NotifyTarget, "sources">, source: SourceId): boolean {
  return sources === undefined || sources.includes(source);
}

/** Null: records that no drain selects, which only a target for all drains is told of. */
export function wantsDrain({ drains }: Pick<NotifyTarget, "drains">, drain: DrainName | null): boolean {
  return drains === undefined || (drain !== null && drains.includes(drain));
}
