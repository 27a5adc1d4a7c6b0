import type { Window } from "../../ports/passes.ts";
import { spanOf } from "../listing/search-windows.ts";

/** A window is split into this many parts, so that replicas share a backlog. */
const parts = 4;
/** A thousand parts: of 50,000 evenly spread records each is a page, and delays no other drain for long. */
const maxSplitDepth = 5;
/** From this depth (1/64 of a pass) a window of few pages is not split: parts below a page cost calls. */
const wholeFromDepth = 3;
/** The pages that a window works in one turn. */
const wholePages = 5;
/** A shorter window is paged by its cursor: another split would cost more listings than it saves time. */
const minSplitMs = 4_000;

/**
 * Splits a window whose first page was full into parts by time, disjoint and complete. Null: continue by
 * cursor. The parts list the first page again: the order of a listing is not promised, so it shows nothing
 * about unseen records. Its entry times only choose the cuts: an ordered listing shows at which end the
 * records begin. Times in Unix ms. `retentionMs` bounds a window without a start.
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
