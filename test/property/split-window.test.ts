import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { splitAfterFirstPage } from "../../src/redrive/split-window.ts";

const windows = fc
  .tuple(fc.nat(1_000_000), fc.integer({ min: 0, max: 10_000_000 }), fc.nat(2))
  .map(([from, span, depth]) => ({ windowId: "w", from, to: from + span, depth }));

describe("a window that is cut after its first page", () => {
  it("loses no moment and has none twice, whichever way the listing runs", () => {
    fc.assert(
      fc.property(
        windows,
        fc.array(fc.nat(1_000), { minLength: 2, maxLength: 100 }),
        fc.boolean(),
        (window, offsets, up) => {
          const at = offsets.map((offset) => Math.min(window.from + offset * 100, window.to));
          const enteredAts = at.toSorted((one, other) => (up ? one - other : other - one));
          const split = splitAfterFirstPage(window, enteredAts);
          if (split === null) return;
          expect(split.windows[0]?.from).toBe(split.restFrom);
          expect(split.windows.at(-1)?.to).toBe(split.restTo);
          for (const [index, { from, to }] of split.windows.entries()) {
            expect(from).toBeLessThanOrEqual(to);
            const next = split.windows[index + 1];
            if (next !== undefined) expect(next.from).toBe(to + 1);
          }
          // What the page showed and the rest does not hold is on the page's own side.
          const last = enteredAts.at(-1)!;
          expect(up ? split.restFrom : split.restTo).toBe(last);
          expect(up ? split.restTo : split.restFrom).toBe(up ? window.to : window.from);
          expect(new Set(split.windows.map(({ windowId }) => windowId)).size).toBe(split.windows.length);
        },
      ),
    );
  });

  it("is not cut when its page is out of order, of one moment, or cut often enough", () => {
    const window = { windowId: "w", from: 1, to: 1_000_000, depth: 0 };
    expect(splitAfterFirstPage(window, [1, 3, 2])).toBeNull();
    expect(splitAfterFirstPage(window, [5, 5, 5])).toBeNull();
    expect(splitAfterFirstPage({ ...window, depth: 3 }, [1, 2, 3])).toBeNull();
    expect(splitAfterFirstPage(window, [])).toBeNull();
  });
});
