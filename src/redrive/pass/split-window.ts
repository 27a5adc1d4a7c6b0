import type { Window } from "../../ports/passes.ts";
import { spanOf } from "../listing/search-windows.ts";

/** A window is cut into this many, so that replicas share a backlog. */
const parts = 4;
/** A thousand parts: of 50,000 records spread evenly each is one page, so that none keeps a drain waiting for long that takes turns with this one. */
const maxSplitDepth = 5;
/**
 * From here on, 1/64 of a pass each, what holds few pages is not cut any more: parts that fill no page cost a
 * listing and a delete each.
 */
const wholeFromDepth = 3;
/** As many as a window works in one turn. */
const wholePages = 5;
/** Below this a window is paged through by its cursor: another cut would cost more listings than it saves time. */
const minSplitMs = 4_000;

/**
 * Cuts a window whose first page was full into parts by time, disjoint and complete; null: page on by cursor. The page itself is
 * left to the parts: what lies where in a listing is not promised, so nothing may be concluded from it about what was not
 * seen. Its entry times only choose the cuts: a listing in order, either way, shows at which end the records begin.
 * Times in Unix ms; `retentionMs` bounds a window without a beginning.
 */
export function splitWindow(
  window: Window,
  enteredAts: readonly number[],
  retentionMs: number,
): readonly Window[] | null {
  const first = enteredAts[0];
  const last = enteredAts.at(-1);
  if (first === undefined || last === undefined || first === last || window.depth >= maxSplitDepth)
    return null;
  const within = (at: number): number => Math.min(Math.max(at, window.from), window.to);
  const low = within(first < last ? first : Math.max(window.from, window.to - retentionMs));
  const high = within(first < last ? window.to : first);
  if (high - low < minSplitMs) return null;
  const span = spanOf(enteredAts);
  if (window.depth >= wholeFromDepth && span !== null && high - low <= span * wholePages) return null;
  const step = Math.ceil((high - low + 1) / parts);
  return Array.from({ length: parts }, (_, part): Window => ({
    windowId: `${window.windowId}.${part}`,
    from: part === 0 ? window.from : low + part * step,
    to: part === parts - 1 ? window.to : low + (part + 1) * step - 1,
    depth: window.depth + 1,
  }));
}
