import type { ListPage } from "../../ports/service.ts";
import { type ListingDeadline, createCursorLoopCheck, endless } from "./detect-endless-listing.ts";

/** The maximum of any listing, even one that a person waits for. */
const maxPages = 100_000;

/**
 * Every page of a listing until its cursor ends. A short page means nothing. Throws as `list` does, and
 * `listing-endless`.
 */
export async function* followCursor<Page extends ListPage>(
  list: (at: { readonly cursor?: string }) => Promise<Page>,
  time?: ListingDeadline,
): AsyncGenerator<Page, void, undefined> {
  const check = createCursorLoopCheck();
  let at: { readonly cursor?: string } = {};
  for (let pages = 0; pages < maxPages; pages += 1) {
    const from = at;
    const page = await (time === undefined ? list(from) : time.page(() => list(from)));
    yield page;
    if (page.cursor === undefined) return;
    check(page, time?.spentMs());
    at = { cursor: page.cursor };
  }
  throw endless(`the listing did not end within ${maxPages} pages`);
}
