import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RawRecord } from "../../../../src/job/message/dead-letter.ts";
import type { Window } from "../../../../src/job/contracts/passes.ts";
import { createWindowSplit, windowSizes, type SplitInput } from "../../../../src/job/pass/split-window.ts";

const dayMs = 86_400_000;
const from = 1_900_000_000_000;

const record = (at: number, createdAt = at): RawRecord => ({ dlqId: `${at}-0`, createdAt });

/** The only window of its pass, worked by one process, if nothing else is said. */
const splitOf = (window: Window, more: Partial<SplitInput> = {}) =>
  createWindowSplit({
    window,
    retentionMs: 3 * dayMs,
    sizes: windowSizes,
    rows: 1,
    left: 1,
    places: 1,
    ...more,
  });

/** Pages of 100 records until the window would be split; null: never. */
function splitAfter(
  window: Window,
  ats: readonly number[],
  left = 0,
  rows = 1,
  pass: Partial<SplitInput> = {},
) {
  const split = splitOf(window, { rows, ...pass });
  for (let begin = 0; begin < ats.length; begin += 100) {
    const page = ats.slice(begin, begin + 100);
    split.listed(page.map((at) => record(at)));
    const parts = begin + 100 < ats.length ? split.parts() : null;
    if (parts !== null) return { pages: begin / 100 + 1, parts };
    split.worked(page.length, left * page.length);
  }
  return null;
}

const every = (count: number, ms: number, begin = from): number[] =>
  Array.from({ length: count }, (_, n) => begin + n * ms);
const whole: Window = { windowId: "w1", from: 0, to: from + dayMs, depth: 0 };

/** Whatever a listing may show, in order or not, inside the window or not. */
const pages = fc.array(
  fc
    .tuple(fc.array(fc.nat(20_000), { minLength: 1, maxLength: 20 }), fc.constantFrom(0, 1, -1))
    .map(([ats, order]) => (order === 0 ? ats : ats.toSorted((one, other) => (one - other) * order))),
  { maxLength: 12 },
);
const windows = fc
  .tuple(fc.nat(10_000), fc.nat(1_000_000), fc.nat(4))
  .map(([begin, span, depth]): Window => ({ windowId: "w", from: begin, to: begin + span, depth }));

describe("a window that is split", () => {
  it("loses no moment and has none twice, whatever its pages showed", () => {
    const sizes = { pages: 1, splitFrom: 1 };
    let splits = 0;
    fc.assert(
      fc.property(windows, pages, fc.nat(10_000_000), fc.nat(4), (window, listed, retentionMs, places) => {
        const split = splitOf(window, { retentionMs, sizes, places });
        for (const page of listed) {
          split.listed(page.map((at) => record(at)));
          const parts = split.parts();
          if (parts === null) continue;
          splits += 1;
          expect(parts.length).toBeGreaterThan(1);
          expect(parts[0]?.from).toBe(window.from);
          expect(parts.at(-1)?.to).toBe(window.to);
          for (const [index, part] of parts.entries()) {
            expect(part.from).toBeLessThanOrEqual(part.to);
            expect(parts[index + 1]?.from ?? part.to + 1).toBe(part.to + 1);
          }
          expect(new Set(parts.map(({ windowId }) => windowId)).size).toBe(parts.length);
        }
      }),
    );
    // A quick run has a quarter of the cases.
    expect(splits).toBeGreaterThan(2);
  });

  it("is split behind its first page if that is one of many, in both orders", () => {
    const records = every(10_000, 864);
    const oldestFirst = splitAfter({ ...whole, to: from + 8_640_000 }, records);
    expect(oldestFirst).toMatchObject({ pages: 1 });
    // 20 pages each, and the rest.
    expect(oldestFirst?.parts.map(({ to }) => Math.round((to - from) / 86_400))).toEqual([
      21, 41, 60, 80, 100,
    ]);
    const newestFirst = splitAfter({ ...whole, from, to: from + 8_640_000 }, records.toReversed());
    expect(newestFirst?.parts.map(({ to }) => Math.round((to - from) / 86_400))).toEqual([
      20, 40, 59, 79, 100,
    ]);
  });

  it("is not split for few pages, in no order, or if all entered at once", () => {
    expect(splitAfter({ ...whole, to: from + 4_000 * 864 }, every(4_000, 864))).toBeNull();
    expect(splitAfter(whole, every(50_000, 0))).toBeNull();
    const shuffled = every(50_000, 864).map((at, index) => at + (index % 7) * 1_000);
    expect(splitAfter({ ...whole, to: from + 50_000 * 864 }, shuffled)).toBeNull();
  });

  it("is split where a sparse listing becomes dense, and not before", () => {
    const sparse = every(2_000, 30_000);
    const dense = every(100_000, 0.6, from + 2_000 * 30_000).map(Math.floor);
    const found = splitAfter({ ...whole, from, to: from + 2_000 * 30_000 + 60_000 }, [...sparse, ...dense]);
    expect(found?.pages).toBeGreaterThan(20);
    expect(found?.pages).toBeLessThan(40);
    // A part that begins with a gap counts it: bursts of one page are not dense.
    const bursts = every(35, 40 * 60_000).flatMap((at) => every(100, 1, at));
    const part = { ...whole, from: from - 40 * 60_000, to: bursts.at(-1) ?? 0, depth: 1 };
    expect(splitAfter(part, bursts)).toBeNull();
  });

  it("is split into smaller parts if its pass has too few windows for all places", () => {
    const part = { ...whole, from, to: from + 4_000 * 864, depth: 1 };
    const records = every(4_000, 864);
    expect(splitAfter(part, records, 0, 8, { left: 5, places: 2 })).toBeNull();
    const found = splitAfter(part, records, 0, 8, { left: 4, places: 2 });
    expect(found?.pages).toBe(2);
    // About ten pages each.
    expect(found?.parts).toHaveLength(4);
    // The end of the pass is one window's for eight pages at most.
    const short = { ...part, to: from + 1_900 * 864 };
    expect(splitAfter(short, every(1_900, 864), 0, 8, { left: 4, places: 8 })?.parts).toHaveLength(2);
    const shorter = { ...part, to: from + 1_700 * 864 };
    expect(splitAfter(shorter, every(1_700, 864), 0, 8, { left: 4, places: 8 })).toBeNull();
  });
});
