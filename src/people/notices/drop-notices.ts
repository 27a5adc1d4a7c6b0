import type { Events } from "../../job/contracts/events.ts";
import type { SourceId } from "../../job/contracts/ids.ts";
import type { Notice, NoticeBook } from "../../job/contracts/notices.ts";
import type { NoticeMemory } from "./to-notices.ts";

/** What could not be told for so long is no news any more. */
export const giveUpAfterMs = 3_600_000;

interface NoticePlace {
  readonly target: string;
  readonly books: ReadonlyMap<SourceId, NoticeBook<NoticeMemory>>;
  readonly events: Events;
}

export async function dropNotices(
  place: NoticePlace,
  isDropped: (notice: Notice) => boolean,
  why: string,
): Promise<void> {
  const notices = (await noticesFor(place)).filter(isDropped);
  if (notices.length === 0) return;
  await removeNotices(place, notices);
  place.events.emit({ type: "notice:dropped", target: place.target, notices, why });
}

export async function noticesFor({
  target,
  books,
}: Pick<NoticePlace, "target" | "books">): Promise<readonly Notice[]> {
  const all = await Promise.all([...books.values()].map((book) => book.read()));
  return oldestFirst(all.flatMap((one) => one.waiting(target)));
}

export function oldestFirst(notices: readonly Notice[]): readonly Notice[] {
  return notices.toSorted((one, other) => one.at - other.at);
}

export async function removeNotices(
  { target, books }: Pick<NoticePlace, "target" | "books">,
  notices: readonly Notice[],
): Promise<void> {
  for (const [source, book] of books) {
    const own = notices.filter((notice) => notice.source === source).map(({ id }) => id);
    await book.remove(target, own);
  }
}
