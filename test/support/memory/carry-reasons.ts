type Counts = { readonly [reason: string]: number | undefined };

/**
 * The reasons of so many records in all: of those that the pass met its own, of the others those that were known before. Of which of these
 * some have left nobody has seen: of the most frequent first, and those that the pass met again are not counted twice.
 */
export function carryReasons(known: Counts, met: Counts, all: number): Counts {
  const carried: { [reason: string]: number } = {};
  let left = all;
  for (const [reason, count = 0] of Object.entries(met)) {
    carried[reason] = count;
    left -= count;
  }
  const others = Object.entries(known)
    .map(([reason, count = 0]) => ({ reason, count: count - (met[reason] ?? 0) }))
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1));
  for (const { reason, count } of others) {
    const taken = Math.min(count, left);
    if (taken <= 0) break;
    carried[reason] = (carried[reason] ?? 0) + taken;
    left -= taken;
  }
  return carried;
}
