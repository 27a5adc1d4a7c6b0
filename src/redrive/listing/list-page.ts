import { isRedriverError } from "../../ports/errors.ts";
import type { ListPage, ListQuery } from "../../ports/service.ts";
import type { SourceRuntime } from "../runtime.ts";
import { isTooLarge, listFitting, type Held, type PageSize } from "./list-fitting.ts";

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
  const { at } = await source.ledger.now();
  try {
    return { ...(await source.service.list(query, signal)), readAt: at };
  } catch (error) {
    source.health.note(error);
    throw error;
  }
}

/** Before a failed page is asked for again by its cursor. A window that started over would never end. */
const listAgainAfterMs = [500, 2_000, 8_000];
/** Deletes that the same limit rejected go first (wait-budget.ts): listed records also have to be settled. */
const giveWayMs = 200;
/** A rate limit up to this long is waited for in place. A longer one is thrown to the caller. */
const maxWaitMs = 60_000;

export interface ListingSignals {
  /** Aborts running calls. */
  readonly signal: AbortSignal;
  /** Ends the listing between two pages. */
  readonly stopping: AbortSignal;
  /** How long it may wait for the service in all (follow-cursor.ts). Absent: half an hour. */
  readonly maxListingMs?: number;
}

/** One page with as many records as fit, asked for again if that helps. The caller releases it. */
export async function listWithRetry(
  source: SourceRuntime,
  query: Omit<ListQuery, "count">,
  size: PageSize,
  { signal, stopping }: ListingSignals,
): Promise<ListedPage & Held> {
  const { memory } = source;
  const take = (bytes: number) => memory.acquire(bytes, AbortSignal.any([signal, stopping]));
  for (let failures = 0; ;) {
    try {
      return await listFitting((sized) => listPage(source, sized, signal), query, size, {
        memory,
        take,
      });
    } catch (error) {
      if (!isRedriverError(error) || isTooLarge(error)) throw error;
      let waitMs: number | undefined;
      if (error.disposition === "wait") {
        waitMs = Math.max(0, (error.retryAt ?? 0) - source.clock.now()) + giveWayMs;
      }
      if (error.disposition === "retry") {
        waitMs = listAgainAfterMs[failures];
        if (waitMs !== undefined && !source.health.mayRetry()) throw error;
        failures += 1;
      }
      if (waitMs === undefined || waitMs > maxWaitMs) throw error;
      // Jitter, so that windows that were rejected together do not return together.
      await source.clock.sleep(waitMs + source.clock.random() * 500, AbortSignal.any([signal, stopping]));
    }
  }
}
