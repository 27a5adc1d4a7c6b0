import type { ListPage, ListQuery } from "../../ports/service.ts";
import type { SourceRuntime } from "../runtime.ts";

/** Enough for an error, or for a small record: what asks only whether the service answers does not read a large one. */
export const smallAnswerBytes = 262_144;

export type ListedPage = ListPage & { readonly readAt: number };

/** One GET of the DLQ, unless the source must be left alone; `readAt` is Redis time from before it was sent. */
export async function listPage(
  source: SourceRuntime,
  query: ListQuery,
  signal: AbortSignal,
): Promise<ListedPage> {
  source.health.check();
  const { at } = await source.ledger.now();
  try {
    return { ...(await source.service.list(query, signal)), readAt: at };
  } catch (error) {
    source.health.note(error);
    throw error;
  }
}
