import type { Window } from "../ports/passes.ts";

/** A window is cut into this many, so that replicas share a backlog. */
const parts = 4;
const deepestSplit = 3;
/** Below this a window is paged through by its cursor: another cut would cost more listings than it saves time. */
const shortestSplitMs = 4_000;

export interface Split {
  /** The rest of the window, disjoint and complete. */
  readonly windows: readonly Window[];
  /** Entry times of these bounds belong to the rest, so a record of the first page inside it is left to the rest. */
  readonly restFrom: number;
  readonly restTo: number;
}

/**
 * Cuts what a window's first page leaves into parts by time. Possible only when the page is in order of entry, either way:
 * then all that is not on it lies beyond its last record. Null: page on by cursor. Times in Unix ms.
 */
export function splitAfterFirstPage(window: Window, enteredAts: readonly number[]): Split | null {
  const first = enteredAts[0];
  const last = enteredAts.at(-1);
  if (first === undefined || last === undefined || first === last || window.depth >= deepestSplit)
    return null;
  const ascending = first < last;
  const inOrder = enteredAts.every((at, index) => {
    const before = enteredAts[index - 1] ?? at;
    return ascending ? before <= at : before >= at;
  });
  if (!inOrder) return null;
  const restFrom = ascending ? last : window.from;
  const restTo = ascending ? window.to : last;
  // Descending pages of a window without a lower bound leave no span to cut.
  if (restTo - restFrom < shortestSplitMs || restFrom <= 0) return null;
  const step = Math.ceil((restTo - restFrom + 1) / parts);
  const windows: Window[] = [];
  for (let from = restFrom; from <= restTo; from += step) {
    windows.push({
      windowId: `${window.windowId}.${windows.length}`,
      from,
      to: Math.min(from + step - 1, restTo),
      depth: window.depth + 1,
    });
  }
  return { windows, restFrom, restTo };
}
