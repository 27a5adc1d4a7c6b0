import { describe, expect, it } from "vitest";
import { createServiceClock } from "../../../../src/job/service/service-clock.ts";

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** What is believed after these answers. */
function after(...offsets: readonly number[]): number | undefined {
  const clock = createServiceClock();
  for (const offsetMs of offsets) clock.note(offsetMs);
  return clock.offsetMs();
}
const times = (count: number, offsetMs: number): number[] => Array.from({ length: count }, () => offsetMs);

describe("the service's clock", () => {
  it("is unknown before the first answer", () => {
    expect(after()).toBeUndefined();
  });

  it.each([0, -800, 5 * minuteMs, -5 * minuteMs])(
    "is the first answer's where it is %d ms off",
    (offsetMs) => {
      expect(after(offsetMs)).toBe(offsetMs);
    },
  );

  it("follows answers that differ little", () => {
    expect(after(0, -900, 40_000)).toBe(40_000);
  });

  it.each([
    ["ahead", 3 * dayMs],
    ["behind", -3 * dayMs],
  ])(
    "is believed to be days %s after ten answers in a row; until then the earlier counts",
    (_name, offsetMs) => {
      expect(after(...times(9, offsetMs))).toBe(Math.min(0, offsetMs));
      expect(after(...times(10, offsetMs))).toBe(offsetMs);
      expect(after(0, ...times(9, offsetMs))).toBe(Math.min(0, offsetMs));
      expect(after(0, ...times(10, offsetMs))).toBe(offsetMs);
    },
  );

  it("is not what single answers say, first or later, however many in all", () => {
    expect(after(3 * dayMs)).toBe(0);
    expect(after(0, 3 * dayMs)).toBe(0);
    const wrongNowAndThen = Array.from({ length: 20 }, () => [...times(9, 3 * dayMs), 500]).flat();
    expect(after(0, ...wrongNowAndThen)).toBe(500);
  });

  it("is the earliest of those that contradict, and again what was believed at the first that agrees", () => {
    expect(after(0, -3 * dayMs, 2 * dayMs)).toBe(-3 * dayMs);
    expect(after(0, -3 * dayMs, 2 * dayMs, 300)).toBe(300);
  });

  it("is not ours for a first answer that says days and a second that says nothing of them", () => {
    expect(after(-3 * dayMs, 0)).toBe(-3 * dayMs);
  });

  it("is not believed of ten answers in a row that contradict each other", () => {
    const mixed = Array.from({ length: 10 }, (_, index) => (1 + index) * dayMs);
    expect(after(0, ...mixed)).toBe(0);
  });
});
