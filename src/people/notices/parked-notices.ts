import type { NoticeItem } from "../../job/contracts/notices.ts";
import { toAnswerText } from "../read/answer-text.ts";
import type { DrainNoticeFacts, NoticeFacts } from "./notice-facts.ts";

/** What is parked of a drain as of the last evaluation, by kind of failure. Times are Unix ms. */
export interface ParkedMemory {
  readonly seen: Readonly<Record<string, number>>;
  readonly more: Readonly<Record<string, number>>;
  /** When the first and the last of these were seen; absent: there are none. */
  readonly firstAt?: number;
  readonly lastAt?: number;
}

/** Parks come in bursts, so they are told together: after a while without more, or at the latest after this. */
const quietMs = 20_000;
const atMostMs = 60_000;

/** What was newly parked for a person. What was parked at the first evaluation is no news. */
export function toParkedNotices(
  before: ParkedMemory | undefined,
  { drain, failures }: DrainNoticeFacts,
  { kinds, quiet, owned }: Pick<NoticeFacts, "kinds" | "quiet" | "owned">,
  now: number,
): { readonly items: readonly NoticeItem[]; readonly after: ParkedMemory } {
  const seen: Record<string, number> = {};
  const more: Record<string, number> = { ...before?.more };
  let { firstAt, lastAt } = before ?? {};
  for (const { id, parked } of failures) {
    if (parked > 0) seen[id] = parked;
    const isHeard = before !== undefined && !quiet.has(id) && !owned.has(id);
    const rise = !isHeard ? 0 : parked - (before.seen[id] ?? 0);
    if (rise > 0) {
      more[id] = (more[id] ?? 0) + rise;
      firstAt ??= now;
      lastAt = now;
    }
  }
  if (firstAt === undefined || lastAt === undefined) return { items: [], after: { seen, more: {} } };
  if (now - lastAt < quietMs && now - firstAt < atMostMs) {
    return { items: [], after: { seen, more, firstAt, lastAt } };
  }
  const items = Object.entries(more)
    // What a person has released meanwhile is no news.
    .map(([id, count]) => [id, Math.min(count, seen[id] ?? 0)] as const)
    .filter(([, count]) => count > 0)
    .map(([id, count]) => {
      const kind = kinds.get(id);
      if (kind === undefined) return { drain, destination: null, cause: null, failure: null, count };
      return { drain, destination: kind.origin, cause: toAnswerText(kind), failure: id, count };
    });
  return { items, after: { seen, more: {} } };
}
