import { RedriverError } from "../../ports/errors.ts";
import type { ListPage } from "../../ports/service.ts";
import { createCursorLoopCheck } from "./cursor-loop-check.ts";
import type { ListingTime } from "./listing-deadline.ts";

/** No listing asks for more pages than this, also one that a person waits for: one that does not end is a fault of the service. */
const maxPages = 100_000;

/**
 * Every page of a listing until its cursor ends; a short page means nothing. Throws what `list` throws, and `listing-endless`
 * where the listing goes in circles or has no time left. Absent: only circles and pages end it.
 */
export async function* followCursor<Page extends ListPage>(
  list: (at: { readonly cursor?: string }) => Promise<Page>,
  time?: ListingTime,
): AsyncGenerator<Page, void, undefined> {
  const watch = createCursorLoopCheck();
  let at: { readonly cursor?: string } = {};
  for (let pages = 0; pages < maxPages; pages += 1) {
    const from = at;
    const page = await (time === undefined ? list(from) : time.page(() => list(from)));
    yield page;
    if (page.cursor === undefined) return;
    watch(page, time?.spentMs());
    at = { cursor: page.cursor };
  }
  throw new RedriverError("listing-endless", `the listing did not end within ${maxPages} pages`);
}
