import { expect, test } from "vitest";
import { startSendDeadline } from "../../../../../src/job/page/publish/send-deadline.ts";

test.each([
  ["while less has passed by both clocks", 14_999, 14_999, true],
  ["when it has passed by both", 15_000, 15_000, false],
  ["when it has passed by the monotonic clock, and the wall clock was set back", 15_000, -600_000, false],
  ["when it has passed by the wall clock, and the monotonic one stood still", 0, 15_000, false],
  ["when the wall clock was set back", 1_000, -600_000, true],
])("the last byte is allowed or not %s", (_name, monotonicMs, wallMs, allowed) => {
  let [monotonic, wall] = [5, 1_700_000_000_000];
  const mayBeSent = startSendDeadline({ monotonic: () => monotonic, now: () => wall }, 15_000);
  expect(mayBeSent()).toBe(true);
  monotonic += monotonicMs;
  wall += wallMs;
  expect(mayBeSent()).toBe(allowed);
});
