/**
 * When a window is split, and where: if far more pages are expected than it should have, into windows of some tens
 * of pages, so that replicas share them.
 *
 * The order and the density of the pages only choose the cuts. The parts cover the whole range, also what was
 * listed already: its records are deleted or listed once more.
 */
import type { RawRecord } from "../message/dead-letter.ts";
import type { Window } from "../contracts/passes.ts";
import { orderOf } from "../listing/search-windows.ts";
import { createdAtOf } from "../listing/record-dates.ts";
import { enteredAtOf } from "../message/parse-record.ts";

export interface WindowSizes {
  readonly pages: number;
  /** A window is split behind its first page if so many more are expected: its parts list that page again. */
  readonly splitFrom: number;
}

export const windowSizes: WindowSizes = { pages: 20, splitFrom: 90 };

/** So many parts of about equal length, then each is longer: a wrong estimate costs few windows. */
const partsAtOnce = 8;
const growth = 4;
/** If so few windows are left for each place, one would soon be idle: a window is cut for so many again … */
const windowsPerPlace = 2;
/** … but into parts of so many pages at least: the end of a window takes as long as a few pages. */
const leastPages = 8;
/** The density is that of the last pages … */
const recentPages = 8;
/** … and of all pages of a part, with the gap before its first record, until it has listed so many. */
const trustedPages = 32;
/** If so few of its worked records are left, a split lists hardly any again. Then two parts are enough. */
const freeShare = 0.02;
const freeParts = 2;
/** If its pass has so many windows, a part is this many times longer: there are at most about a thousand. */
const crowded = [
  { rows: 1_000, factor: Infinity },
  { rows: 500, factor: 16 },
  { rows: 250, factor: 4 },
  { rows: 8, factor: 2 },
] as const;
const maxDepth = 12;

type DateOf = (record: RawRecord) => number | null;

export interface SplitInput {
  readonly window: Window;
  /** Bounds a window without a start, ms. */
  readonly retentionMs: number;
  readonly sizes: WindowSizes;
  readonly rows: number;
  /** Those that have not ended, this one included. */
  readonly left: number;
  readonly places: number;
}

export function createWindowSplit({ window, retentionMs, sizes, rows, left, places }: SplitInput) {
  const low = lowOf(window, retentionMs);
  const within = (at: number): number => Math.min(Math.max(at, low), window.to);
  const factor = crowded.find((one) => rows >= one.rows)?.factor ?? 1;
  let dateOf: DateOf | null = null;
  /** 1: oldest first. 0: not known yet. null: none, so the window is not split. */
  let order: number | null = window.depth >= maxDepth || factor === Infinity ? null : 0;
  let pages = 0;
  const starts: number[] = [];
  let last = 0;
  const worked = { records: 0, left: 0 };
  let windowsLeft = left;

  const note = (records: readonly RawRecord[]): void => {
    dateOf ??= [enteredAtOf, createdAtOf].find((one) => orderOf(datesOf(records, one)) !== null) ?? null;
    const dates = dateOf === null ? [] : datesOf(records, dateOf);
    const [first] = dates;
    if (first === undefined) return void (order = null);
    const own = orderOf(pages === 0 ? dates : [last, ...dates]);
    order = own === null || order === null || own * order < 0 ? null : own || order;
    starts.push(first);
    if (starts.length > recentPages) starts.shift();
    last = dates.at(-1) ?? first;
    pages += 1;
  };
  const paceOf = (isForward: boolean): number => {
    if (window.depth === 0 || pages >= trustedPages)
      return Math.abs(last - (starts[0] ?? last)) / starts.length;
    return (isForward ? within(last) - low : window.to - within(last)) / pages;
  };

  /** Of a part, if so many are expected. */
  const pagesOfPart = (expected: number): number => {
    const most = sizes.pages * factor;
    const wanted = windowsPerPlace * places;
    if (places <= 1 || windowsLeft > wanted) return most;
    const least = Math.min(leastPages, sizes.pages);
    return Math.min(most, Math.max(least, expected / wanted));
  };

  return {
    listed(records: readonly RawRecord[]): void {
      if (order !== null && records.length > 0) note(records);
    },
    leftInPass(windows: number): void {
      windowsLeft = windows;
    },
    /** A page was worked, and so many of its records stay in the queue. */
    worked(records: number, left: number): void {
      worked.records += records;
      worked.left += left;
    },
    /** The windows to take its place, disjoint and complete, by time; null: continue by the cursor. */
    parts(): readonly Window[] | null {
      if (order === null || order === 0) return null;
      const isForward = order > 0;
      const restMs = isForward ? window.to - within(last) : within(last) - low;
      const pace = paceOf(isForward);
      if (pace <= 0 || restMs < 2) return null;
      const expected = restMs / pace;
      const isFree = worked.records > 0 && worked.left <= worked.records * freeShare;
      const part = pagesOfPart(expected);
      const enough = isFree ? freeParts * part : pages === 1 ? sizes.splitFrom * factor : Infinity;
      if (expected < enough) return null;
      const cuts = cutsOf(restMs, part * pace, expected < part * places ? 1 : places);
      if (cuts.length === 0) return null;
      const at = cuts.map((ms) => (isForward ? within(last) + ms : within(last) - ms));
      return toWindows(window, isForward ? at : at.map((end) => end - 1).toReversed());
    },
  };
}

/** Ms from the begin, ascending. Parts that begin together end one after the other: something is listed then. */
function cutsOf(restMs: number, partMs: number, together: number): readonly number[] {
  const equal = Math.max(partsAtOnce, together);
  const lengthOf = (index: number): number => {
    const share = index < together ? 0.5 + (index + 0.5) / together : 1;
    return Math.max(1, Math.round(share * partMs * growth ** Math.max(0, index - equal)));
  };
  const cuts: number[] = [];
  for (let end = lengthOf(0), next; ; end += next) {
    next = lengthOf(cuts.length + 1);
    if (end + next / 2 >= restMs) return cuts;
    cuts.push(end);
  }
}

const partsOfUnlisted = 16;

/** By time alone, for a window that nobody could list; none, if it is one millisecond. */
export function equalParts(window: Window, retentionMs: number): readonly Window[] {
  const low = lowOf(window, retentionMs);
  const length = window.to - low + 1;
  const count = Math.min(partsOfUnlisted, length);
  if (count < 2) return [];
  const ends = Array.from(
    { length: count - 1 },
    (_, index) => low - 1 + Math.ceil((length * (index + 1)) / count),
  );
  return toWindows(window, ends);
}

function lowOf({ from, to }: Window, retentionMs: number): number {
  return from > 0 ? from : Math.max(0, to - retentionMs);
}

/** `ends`: the last millisecond of each part but the last. */
function toWindows({ windowId, from, to, depth }: Window, ends: readonly number[]): readonly Window[] {
  return [...ends, to].map((end, index) => ({
    windowId: `${windowId}.${index}`,
    from: index === 0 ? from : (ends[index - 1] ?? from) + 1,
    to: end,
    depth: depth + 1,
  }));
}

function datesOf(records: readonly RawRecord[], dateOf: DateOf): readonly number[] {
  const dates: number[] = [];
  for (const record of records) {
    const date = dateOf(record);
    if (date !== null) dates.push(date);
  }
  return dates;
}
