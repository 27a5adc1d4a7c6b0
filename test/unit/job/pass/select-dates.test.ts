import { describe, expect, it } from "vitest";
import { narrowWindow, selectRange } from "../../../../src/job/pass/select-dates.ts";

const now = 1_800_000_000_000;
const hour = 3_600_000;
const horizon = now - 5_000;
const ago = (ms: number) => ({ kind: "ago", ms }) as const;
const at = (moment: number) => ({ kind: "at", at: moment }) as const;

describe("the range of a pass", () => {
  it.each([
    ["everything without dates", undefined, 0, horizon],
    ["from so long ago", { from: ago(2 * hour) }, now - 2 * hour, horizon],
    ["from a date", { from: at(now - hour) }, now - hour, horizon],
    ["up to so long ago, so the watermark stays behind what was listed", { to: ago(hour) }, 0, now - hour],
    ["never past the horizon", { to: at(now + hour) }, 0, horizon],
    ["up to now, which is the horizon", { to: ago(0) }, 0, horizon],
    ["both ends", { from: ago(2 * hour), to: ago(hour) }, now - 2 * hour, now - hour],
    ["nothing that runs backwards", { from: at(now + hour) }, horizon, horizon],
  ])("is %s", (_name, dates, fullFrom, to) => {
    expect(selectRange(dates, now, horizon)).toEqual({ fullFrom, to });
  });

  it("is whole milliseconds by a clock that has fractions", () => {
    expect(selectRange({ from: ago(hour), to: ago(7_000) }, now + 0.5, horizon)).toEqual({
      fullFrom: now - hour,
      to: now - 7_000,
    });
  });
});

describe("a window", () => {
  const window = { windowId: "w1", from: now - 3 * hour, to: now, depth: 0 };

  it.each([
    ["is left as it is without dates", undefined, window.from],
    ["begins where the dates begin", { from: ago(hour) }, now - hour],
    ["begins where it began when that is later", { from: ago(5 * hour) }, window.from],
    ["ends with its pass, whatever the dates say", { to: ago(hour) }, window.from],
  ])("%s", (_name, dates, from) => {
    expect(narrowWindow(dates, window, now)).toEqual({ ...window, from });
  });

  it("is nothing where the dates begin after it", () => {
    expect(narrowWindow({ from: at(now + 1) }, window, now)).toBeNull();
    expect(narrowWindow({ from: at(now) }, window, now)).toMatchObject({ from: now, to: now });
  });
});
