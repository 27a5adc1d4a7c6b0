import type { ListPage, ListQuery } from "../../ports/service.ts";
import type { SourceRuntime } from "../runtime.ts";

/** Enough for an error or a small record, for a call that only asks whether the service answers. */
export const smallAnswerBytes = 262_144;

export type ListedPage = ListPage & { readonly readAt: number };

/** One GET of the DLQ, unless the source is paused or halted. `readAt`: Redis time from before the GET. */
export async function listPage(
  source: SourceRuntime,
  query: ListQuery,
  signal: AbortSignal,
): Promise<ListedPage> {
  source.health.check();
  const readAt = await source.readAt();
  try {
    return { ...(await source.service.list(query, signal)), readAt };
  } catch (error) {
    source.health.note(error);
    throw error;
  }
}

export interface ListingSignals {
  /** Aborts running calls. */
  readonly signal: AbortSignal;
  /** Ends the listing between two pages. */
  readonly stopping: AbortSignal;
  /** How long it may wait for the service in all (detect-endless-listing.ts). Absent: half an hour. */
  readonly maxListingMs?: number;
}
