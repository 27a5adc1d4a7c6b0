import type { DrainName } from "../ports/ids.ts";

export function byDrain<Entry extends { readonly view: { readonly drain: DrainName | null } }>(
  entries: readonly Entry[],
): ReadonlyMap<Entry["view"]["drain"], readonly Entry[]> {
  const groups = new Map<Entry["view"]["drain"], Entry[]>();
  for (const entry of entries) {
    const group = groups.get(entry.view.drain);
    if (group === undefined) groups.set(entry.view.drain, [entry]);
    else group.push(entry);
  }
  return groups;
}
