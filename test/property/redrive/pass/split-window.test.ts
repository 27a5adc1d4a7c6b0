import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { splitWindow } from "../../../../src/redrive/pass/split-window.ts";

const windows = fc
  .tuple(fc.nat(1_000_000), fc.integer({ min: 0, max: 10_000_000 }), fc.nat(4))
  .map(([from, span, depth]) => ({ windowId: "w", from, to: from + span, depth }));
/** Whatever a listing may show, in order or not, inside the window or not. */
const pages = fc.array(fc.nat(12_000_000), { maxLength: 100 });

/** Entry times of a full page, in order, from the first to the last. */
const spanning = (ms: number): number[] => Array.from({ length: 100 }, (_, n) => n * (ms / 99));

describe("a window that is cut", () => {
  it("loses no moment and has none twice, whatever its first page showed", () => {
    fc.assert(
      fc.property(windows, pages, fc.nat(10_000_000), (window, enteredAts, retentionMs) => {
        const parts = splitWindow(window, enteredAts, retentionMs) ?? [window];
        expect(parts[0]?.from).toBe(window.from);
        expect(parts.at(-1)?.to).toBe(window.to);
        for (const [index, { from, to }] of parts.entries()) {
          expect(from).toBeLessThanOrEqual(to);
          expect(parts[index + 1]?.from ?? to + 1).toBe(to + 1);
        }
        expect(new Set(parts.map(({ windowId }) => windowId)).size).toBe(parts.length);
      }),
    );
  });

  it("is cut where its records are: from the first one on, or back from the newest", () => {
    const window = { windowId: "w", from: 0, to: 1_000_000, depth: 0 };
    expect(splitWindow(window, [600_000, 600_100], 400_000)?.map(({ from }) => from)).toEqual([
      0, 700_001, 800_002, 900_003,
    ]);
    expect(splitWindow(window, [900_000, 899_000], 300_000)?.map(({ to }) => to)).toEqual([
      750_000, 800_001, 850_002, 1_000_000,
    ]);
  });

  it("is not cut any more when few pages are left, as far as the first one shows", () => {
    const window = { windowId: "w", from: 0, to: 500_000, depth: 3 };
    expect(splitWindow(window, spanning(100_000), 1_000_000)).toBeNull();
    expect(splitWindow(window, spanning(100_000).toReversed(), 500_000)).toBeNull();
    expect(splitWindow(window, spanning(99_000), 1_000_000)).toHaveLength(4);
    expect(splitWindow({ ...window, depth: 2 }, spanning(100_000), 1_000_000)).toHaveLength(4);
    // In no order, a page says nothing of what is left.
    expect(splitWindow(window, [0, 400_000, 100_000], 1_000_000)).toHaveLength(4);
  });

  it("is not cut when its page shows one moment, or it was cut often enough", () => {
    const window = { windowId: "w", from: 1, to: 1_000_000, depth: 0 };
    expect(splitWindow(window, [5, 5, 5], 1)).toBeNull();
    expect(splitWindow({ ...window, depth: 5 }, [1, 2, 3], 1)).toBeNull();
    expect(splitWindow(window, [], 1)).toBeNull();
  });
});
