import { expect, it } from "vitest";
import { canaryTimeoutMs } from "../../../../../src/job/page/publish/canary-variant.ts";

it.each([
  [2_000, 1_000],
  [2_700, 2_000],
  [60_000, 45_000],
  [3_600_000, 2_700_000],
  [1_000, 1_000],
])("a canary of a watch of %i ms waits for %i ms", (watchMs, timeoutMs) => {
  expect(canaryTimeoutMs(watchMs)).toBe(timeoutMs);
});
