import { isRedriverError } from "../../ports/errors.ts";
import type { ListQuery } from "../../ports/service.ts";
import { isTooLarge, listFitting, type Held, type PageSize } from "./list-fitting.ts";
import { listPage, type ListedPage } from "./list-page.ts";
import type { SourceRuntime } from "../runtime.ts";

/** A listing that fails is asked again after these, from the same cursor: a window that began anew each time would never end. */
const listAgainAfterMs = [500, 2_000, 8_000];
/**
 * Deletes and sweeps that were turned away by the same limit go first (wait-out.ts): what is found has to be
 * settled as well.
 */
const giveWayMs = 200;
/** A rate limit that lasts no longer than this is waited for in place; a longer one is for the caller to wait for. */
const longestWaitMs = 60_000;

export interface ListingSignals {
  /** Ends calls that are under way. */
  readonly signal: AbortSignal;
  /** Ends the listing between two pages. */
  readonly stopping: AbortSignal;
  /** How long it may wait for the service in all (listing-time.ts). Absent: half an hour. */
  readonly maxListingMs?: number;
}

/** One page, asked for again where that helps, with as many records as fit. It has to be released. */
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
      if (waitMs === undefined || waitMs > longestWaitMs) throw error;
      // Jitter, so that windows which were turned away together do not come back together.
      await source.clock.sleep(waitMs + source.clock.random() * 500, AbortSignal.any([signal, stopping]));
    }
  }
}
