import { isRedriverError } from "../../ports/errors.ts";
import type { ListQuery } from "../../ports/service.ts";
import type { SourceRuntime } from "../runtime.ts";
import { listPage, type ListedPage, type ListingSignals } from "./list-page.ts";
import { isTooLarge, listWithinMemory, type PageInMemory, type PageSize } from "./list-within-memory.ts";

/** Before a failed page is asked for again by its cursor. A window that started over would never end. */
const listAgainAfterMs = [500, 2_000, 8_000];
/** Deletes that the same limit rejected go first (wait-budget.ts): listed records also have to be settled. */
const giveWayMs = 200;
/** A rate limit up to this long is waited for in place. A longer one is thrown to the caller. */
const maxWaitMs = 60_000;

/** One page with as many records as fit, asked for again if that helps. The caller releases it. */
export async function listWithRetry(
  source: SourceRuntime,
  query: Omit<ListQuery, "count">,
  size: PageSize,
  { signal, stopping }: ListingSignals,
): Promise<ListedPage & PageInMemory> {
  const { memory } = source;
  const waitSignal = () => AbortSignal.any([signal, stopping]);
  for (let failures = 0; ;) {
    try {
      return await listWithinMemory((sized) => listPage(source, sized, signal), query, size, {
        memory,
        waitSignal,
      });
    } catch (error) {
      if (!isRedriverError(error) || isTooLarge(error)) throw error;
      let waitMs: number | undefined;
      if (error.disposition === "wait") {
        waitMs = Math.max(0, (error.retryAt ?? 0) - source.clock.now()) + giveWayMs;
      }
      if (error.disposition === "retry") {
        waitMs = listAgainAfterMs[failures];
        if (waitMs !== undefined && !source.health.takeRetry()) throw error;
        failures += 1;
      }
      if (waitMs === undefined || waitMs > maxWaitMs) throw error;
      // Jitter, so that windows that were rejected together do not return together.
      await source.clock.sleep(waitMs + source.clock.random() * 500, waitSignal());
    }
  }
}
