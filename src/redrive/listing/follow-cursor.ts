import { RedriverError } from "../../ports/errors.ts";
import type { ListPage } from "../../ports/service.ts";
import { createCursorLoopCheck } from "./cursor-loop-check.ts";
import type { ListingDeadline } from "./listing-deadline.ts";

/** The maximum of any listing, even one that a person waits for. A listing without an end is a fault of the service. */
const maxPages = 100_000;

/**
 * Every page of a listing until its cursor ends. A short page means nothing. Throws what `list` throws, and `listing-endless` if
 * the listing loops, has too many pages, or exceeds `time`, if given.
 */
export async function* followCursor<Page extends ListPage>(
  list: (at: { readonly cursor?: string }) => Promise<Page>,
  time?: ListingDeadline,
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
