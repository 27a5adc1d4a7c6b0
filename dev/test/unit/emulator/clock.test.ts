import { expect, test } from "vitest";
import { EmulatorClock } from "../../../emulator/clock.ts";

test("an emulator's clock is moved to a moment although time passes meanwhile, also to its last one", () => {
  let now = 1_000;
  const clock = new EmulatorClock({ now: () => (now += 1) });
  clock.moveTo(EmulatorClock.latestMove);
  expect(clock.now()).toBeGreaterThanOrEqual(EmulatorClock.latestMove);
  expect(() => clock.moveTo(EmulatorClock.latestMove + 1)).toThrow(RangeError);
  clock.moveTo(5);
  expect(clock.now()).toBeGreaterThan(EmulatorClock.latestMove);
});
