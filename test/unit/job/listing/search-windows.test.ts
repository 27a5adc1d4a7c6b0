import { describe, expect, it } from "vitest";
import { cutWindow, halve, joinTimes, pagesPerWindow } from "../../../../src/job/listing/search-windows.ts";

const second = 1_000;
/** Entry times of a full page, in order, so far apart. */
const page = (everyMs: number): number[] => Array.from({ length: 100 }, (_, n) => n * everyMs);

describe("windows around what is looked for", () => {
  it("join what entered within a minute of each other", () => {
    expect(joinTimes([70_000, 0, 60_000, 200_000])).toEqual([
      { from: 0, to: 70_000 },
      { from: 200_000, to: 200_000 },
    ]);
  });

  it("go on by the cursor where the rest costs less than parts would", () => {
    // Three pages of 10 s each in 30 s, and wanted throughout.
    const wanted = Array.from({ length: 30 }, (_, n) => n * second);
    expect(cutWindow({ from: 0, to: 29 * second }, wanted, page(100))).toBeNull();
  });

  it("are cut where they lie farther apart than a page spans", () => {
    const wanted = [0, 50, 300 * second, 300 * second + 50];
    expect(cutWindow({ from: 0, to: 300 * second + 50 }, wanted, page(10))).toEqual([
      { from: 0, to: 50 },
      { from: 300 * second, to: 300 * second + 50 },
    ]);
    // Listed newest first, it is the same.
    expect(cutWindow({ from: 0, to: 300 * second + 50 }, wanted, page(10).toReversed())).toHaveLength(2);
  });

  it("are no longer than a listing has pages", () => {
    const wanted = Array.from({ length: 500 }, (_, n) => n * second);
    const span = 99 * 100;
    const parts = cutWindow({ from: 0, to: 499 * second }, wanted, page(100)) ?? [];
    expect(parts.length).toBeGreaterThan(1);
    for (const { from, to } of parts) expect(to - from).toBeLessThanOrEqual(span * pagesPerWindow);
    for (const time of wanted)
      expect(parts.filter(({ from, to }) => time >= from && time <= to)).toHaveLength(1);
  });

  it("go on by the cursor where a page is in no order, and are halved when that does not end", () => {
    const wanted = [0, 10, 20, 900];
    expect(cutWindow({ from: 0, to: 900 }, wanted, [5, 800, 3, 600])).toBeNull();
    expect(halve(wanted)).toEqual([
      { from: 0, to: 20 },
      { from: 900, to: 900 },
    ]);
    expect(halve([7, 7])).toBeNull();
    expect(halve([])).toBeNull();
  });
});
