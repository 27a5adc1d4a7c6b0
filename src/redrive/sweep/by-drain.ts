import type { DrainName } from "../../ports/ids.ts";
import { groupBy } from "../group-by.ts";

export function byDrain<Entry extends { readonly view: { readonly drain: DrainName | null } }>(
  entries: readonly Entry[],
): ReadonlyMap<DrainName | null, readonly Entry[]> {
  return groupBy(entries, ({ view }) => view.drain);
}
