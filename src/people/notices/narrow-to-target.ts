import type { NotifyTarget } from "../../job/contracts/drains-document.ts";
import type { DrainName, SourceId } from "../../job/contracts/ids.ts";
import type { NoticeNews } from "./to-notices.ts";

export function narrowToTarget(
  news: NoticeNews,
  source: SourceId,
  { events, sources, drains }: Pick<NotifyTarget, "events" | "sources" | "drains">,
): NoticeNews {
  if (sources?.includes(source) === false) return [];
  return news.flatMap(([event, all]) => {
    const items = events.includes(event) ? all.filter(({ drain }) => isWanted(drain, drains)) : [];
    return items.length === 0 ? [] : [[event, items] as const];
  });
}

/** Null: records that no drain selects, which only a target for all drains is told of. */
function isWanted(drain: DrainName | null, drains: NotifyTarget["drains"]): boolean {
  return drains === undefined || (drain !== null && drains.includes(drain));
}
