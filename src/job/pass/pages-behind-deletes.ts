/** Counts pages by a cursor after a page that may have deleted: a delete may run beside the GETs that follow. */
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
