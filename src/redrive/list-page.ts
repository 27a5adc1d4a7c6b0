import type { ListPage, ListQuery } from "../ports/service.ts";
import type { SourceRuntime } from "./runtime.ts";

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
