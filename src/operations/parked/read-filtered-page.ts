/** A page of what one drain parked, or of one reason. It reads a bounded number of entries, whatever fits. */
import type { Core } from "../../compose/build-core.ts";
import type { SourceId } from "../../ports/ids.ts";
import { readParkedPage, type ParkedRow, type ParkedRows } from "./read-page.ts";

export interface ParkedRowFilter {
  readonly drain?: string | undefined;
  readonly reason?: string | undefined;
}

const entriesPerRead = 100;
/** 20 reads of Redis. What is rare may need several pages. */
const maxEntries = 2_000;

/** At least `minRows` rows if there are as many, and at most 99 more. A page may be empty and have a next one. */
export async function readFilteredParked(
  core: Pick<Core, "redis" | "sources" | "drains">,
  source: SourceId,
  {
    after,
    minRows,
    filter,
  }: { readonly after: string | null; readonly minRows: number; readonly filter: ParkedRowFilter },
): Promise<ParkedRows> {
  const fits = (row: ParkedRow): boolean =>
    (filter.drain === undefined || row.drain === filter.drain) &&
    (filter.reason === undefined || row.reason === filter.reason);
  const rows: ParkedRow[] = [];
  let next = after;
  for (let read = 0; ; read += entriesPerRead) {
    const page = await readParkedPage(core, source, { after: next, limit: entriesPerRead });
    rows.push(...page.rows.filter(fits));
    ({ next } = page);
    const isEnough = rows.length >= minRows || read + entriesPerRead >= maxEntries;
    if (next === null || isEnough) return { rows, total: page.total, next };
  }
}
