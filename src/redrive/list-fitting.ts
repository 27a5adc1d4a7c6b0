import { isRedriverError } from "../ports/errors.ts";
import type { ListPage, ListQuery } from "../ports/service.ts";

/** The most that the service lists at once. */
export const recordsPerPage = 100;
/** A page of large records is tried with more of them again after this many that fitted: one answer in nine may be in vain. */
const pagesBeforeMore = 8;
const step = 4;

/** How many records the next page is asked for; of one listing. */
export interface PageSize {
  count: number;
  fitted: number;
}

export const createPageSize = (count = recordsPerPage): PageSize => ({ count, fitted: 0 });

/** One page of as many records as an answer may hold. Throws as `list` does; `answer-too-large` where not even one fits. */
export async function listFitting<Page extends ListPage>(
  list: (query: ListQuery) => Promise<Page>,
  query: Omit<ListQuery, "count">,
  size: PageSize,
): Promise<Page> {
  for (;;) {
    try {
      const page = await list({ ...query, count: size.count });
      size.fitted += 1;
      if (size.fitted >= pagesBeforeMore) {
        size.count = Math.min(size.count * step, recordsPerPage);
        size.fitted = 0;
      }
      return page;
    } catch (error) {
      if (!isTooLarge(error) || size.count === 1) throw error;
      size.count = Math.ceil(size.count / step);
      size.fitted = 0;
    }
  }
}

export function isTooLarge(error: unknown): boolean {
  return isRedriverError(error) && error.code === "answer-too-large";
}
