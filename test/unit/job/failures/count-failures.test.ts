import { expect, it } from "vitest";
import type { FailureKind } from "../../../../src/job/message/failure-kind.ts";
import { FailureTally } from "../../../../src/job/failures/count-failures.ts";

const hourMs = 3_600_000;
const kind = (id: string): FailureKind => ({ id, origin: "https://a.example.com", status: 503, text: id });
const [one, other] = [kind("one"), kind("other")];

function counted() {
  const tally = new FailureTally();
  tally.add(one, "1-0", "seen");
  tally.add(one, "2-0", "seen");
  tally.add(one, "2-0", "parked", -1);
  tally.byHour(one, "1-0", 5 * hourMs, "arrived");
  tally.byHour(one, "2-0", 5 * hourMs - 1, "arrived");
  tally.byHour(one, "2-0", 5 * hourMs - 1, "arrivedDone");
  tally.named(one, "1-0", "ruled", "republish outage");
  tally.named(one, "1-0", "failedAgainOf", "other");
  tally.add(other, null, "seen", 3);
  return tally;
}

/** Of kind one on so many pages. */
const countsOf = (pages: number) => ({
  parked: -pages,
  arrived: { 4: pages, 5: pages },
  arrivedDone: { 4: pages },
  firstAt: 5 * hourMs - 1,
  lastArrivedAt: 5 * hourMs,
  ruled: { "republish outage": pages },
  failedAgainOf: { other: pages },
});

it("counts by kind, arrivals by hour, decisions by rule", () => {
  expect(counted().counts((id) => id)).toEqual({
    one: { ...countsOf(1), seen: 2 },
    other: { seen: 3 },
  });
});

it("has each kind once, with the dead letter it was met with", () => {
  expect(counted().kinds()).toEqual([
    { kind: one, sample: "1-0" },
    { kind: other, sample: null },
  ]);
});

it("adds up pages to a window, and leaves the pages as they were", () => {
  const window = new FailureTally();
  const page = counted();
  window.merge(page);
  window.merge(page);
  window.merge(new FailureTally());
  expect(window.counts((id) => id)["one"]).toEqual({ ...countsOf(2), seen: 4 });
  expect(page.counts((id) => id)["one"]?.seen).toBe(2);
  expect(window.kinds()).toHaveLength(2);
});

it("counts kinds that share a recorded id together", () => {
  expect(counted().counts(() => "other-1")).toEqual({ "other-1": { ...countsOf(1), seen: 5 } });
});
