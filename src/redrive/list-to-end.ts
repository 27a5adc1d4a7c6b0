import { RedriverError } from "../ports/errors.ts";
import type { ListQuery } from "../ports/service.ts";
import type { ListedPage } from "./list-page.ts";
import { createCircleWatch } from "./circle-watch.ts";
import { listPatiently, type ListingSignals } from "./list-patiently.ts";
import type { SourceRuntime } from "./runtime.ts";

/** The most that the service lists at once. */
export const recordsPerPage = 100;
/** No listing asks for more pages than this: one that does not end is a fault of the service. */
const mostPages = 100_000;

/**
 * Every page of a listing until its cursor ends; a short page means nothing. Throws RedriverErrors: what keeps a page from being
 * listed, `stopped` between two pages, `answer-unreadable` where the listing goes in circles.
 */
export async function* listToEnd(
  source: SourceRuntime,
  query: Omit<ListQuery, "count" | "cursor">,
  signals: ListingSignals,
): AsyncGenerator<ListedPage, void, undefined> {
  const size = { count: recordsPerPage };
  const watch = createCircleWatch();
  let cursor: string | undefined;
  for (let pages = 0; pages < mostPages; pages += 1) {
    if (signals.stopping.aborted) {
      throw new RedriverError("stopped", "stopped before the end of the listing", {
        cause: signals.stopping.reason,
      });
    }
    const asked = { ...query, ...(cursor === undefined ? {} : { cursor }) };
    const page = await listPatiently(source, asked, size, signals);
    yield page;
    if (page.cursor === undefined) return;
    watch(page);
    cursor = page.cursor;
  }
  throw new RedriverError("answer-unreadable", `the listing did not end within ${mostPages} pages`);
}
