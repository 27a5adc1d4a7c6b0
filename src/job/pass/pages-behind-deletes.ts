/**
 * Counts pages by a cursor after a page that may have deleted. A delete may run beside the next GETs, and so
 * count pages that were listed before it.
 */
export function countBehindDeletes() {
  const isBehindCursor: boolean[] = [];
  let first = Infinity;
  return {
    next(isBehind: boolean) {
      const index = isBehindCursor.push(isBehind) - 1;
      return {
        ended(mayHaveDeleted: boolean): void {
          if (mayHaveDeleted) first = Math.min(first, index);
        },
      };
    },
    count: (): number => isBehindCursor.filter((isBehind, index) => isBehind && index > first).length,
  };
}
