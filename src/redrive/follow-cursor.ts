import { RedriverError } from "../ports/errors.ts";
import type { ListPage } from "../ports/service.ts";
import { createCircleWatch } from "./circle-watch.ts";

/** No listing asks for more pages than this: one that does not end is a fault of the service. */
const mostPages = 100_000;

/**
 * Every page of a listing until its cursor ends; a short page means nothing. Throws what `list` throws, and `listing-endless`
 * where the listing goes in circles.
 */
export async function* followCursor<Page extends ListPage>(
  list: (at: { readonly cursor?: string }) => Promise<Page>,
): AsyncGenerator<Page, void, undefined> {
  const watch = createCircleWatch();
  let at: { readonly cursor?: string } = {};
  for (let pages = 0; pages < mostPages; pages += 1) {
    const page = await list(at);
    yield page;
    if (page.cursor === undefined) return;
    watch(page);
    at = { cursor: page.cursor };
  }
  throw new RedriverError("listing-endless", `the listing did not end within ${mostPages} pages`);
}
