import type { createPagesInFlight } from "../../src/job/pass/pages-in-flight.ts";
import type { EmulatorOptions } from "../../dev/emulator/index.ts";
import type { WindowSizes } from "../../src/job/pass/split-window.ts";

/** How much of a source is worked at once. */
export interface Knobs {
  readonly windowsAtOnce: number;
  readonly pagesInFlight: NonNullable<Parameters<typeof createPagesInFlight>[0]>;
  readonly windowSizes: WindowSizes;
}

/** `TEST_KNOBS=down` and `TEST_KNOBS=up` run every rig so, unless its test chooses for itself. */
export function chosenKnobs(): Partial<Knobs> {
  const name = process.env["TEST_KNOBS"];
  return name === "up" ? turnedUp : name === "down" ? turnedDown : {};
}

/** `TEST_ORDER=latestFirst` has every rig's service list so, unless its test chooses for itself. */
export function chosenOrder(): Pick<EmulatorOptions, "order"> {
  return process.env["TEST_ORDER"] === "latestFirst" ? { order: "latestFirst" } : {};
}

/** One page after the other, by one cursor. */
export const turnedDown: Knobs = {
  windowsAtOnce: 1,
  pagesInFlight: { perWindow: 1, perSource: 1 },
  windowSizes: { pages: Infinity, splitFrom: Infinity },
};

/** 64 windows at once with 16 pages each. A window is split as soon as a page has shown the listing's order. */
export const turnedUp: Knobs = {
  windowsAtOnce: 64,
  pagesInFlight: { perWindow: 16, perSource: 64 * 16 },
  windowSizes: { pages: 0.2, splitFrom: 1 },
};
