import { expect, it } from "vitest";
import { atMost, countChecks, exactly, shareAtLeast, shown, toTable } from "./figures.ts";
import {
  countBetween,
  mostWithin,
  outcomeOf,
  publishedTwice,
  ratePerSecond,
  secondsAhead,
  type Evidence,
} from "./outcome.ts";
import { sha256Of } from "./letters.ts";
import { createTimeScale, hourMs, minuteMs } from "../lanes/time-scale.ts";

const accepted = (messageId: string, id: string) => ({ messageId, bodySha256: sha256Of(id) });
const arrival = (id: string, status = 200) => ({
  at: 0,
  id,
  bytes: 0,
  status,
  bodySha256: "",
  sentAs: "plain" as const,
});
const evidence = (changes: Partial<Evidence>): Evidence => ({
  accepted: [],
  deadLettered: [],
  deliveries: [],
  arrivals: [],
  ...changes,
});

const at = (...times: readonly number[]) => times.map((one) => ({ at: one }));
const burst = (time: number) => at(...Array.from({ length: 10 }, () => time));

it("a message that came back and was published again is published once", () => {
  const outcome = outcomeOf(
    ["a"],
    evidence({
      accepted: [accepted("m-1", "a"), accepted("m-2", "a")],
      deadLettered: [{ messageId: "m-1" }],
      arrivals: [arrival("a", 503), arrival("a")],
    }),
  );
  expect(outcome).toEqual({ delivered: 1, publishedOnce: 1, doubled: 0, redelivered: 0 });
});

it("two publishes of which none came back are a double, although one was delivered; none is a loss", () => {
  const outcome = outcomeOf(
    ["a", "b"],
    evidence({
      accepted: [accepted("m-1", "a"), accepted("m-2", "a")],
      arrivals: [arrival("a"), arrival("a")],
    }),
  );
  expect(outcome).toEqual({ delivered: 1, publishedOnce: 0, doubled: 1, redelivered: 0 });
});

it("a second delivery is the service's where it had given up the first answer", () => {
  const outcome = outcomeOf(
    ["a"],
    evidence({
      accepted: [accepted("m-1", "a")],
      deliveries: [{ messageId: "m-1", status: 0 }],
      arrivals: [arrival("a"), arrival("a")],
    }),
  );
  expect(outcome).toEqual({ delivered: 1, publishedOnce: 1, doubled: 0, redelivered: 1 });
});

it("counts what lies in a range, the most within a window, and a rate without its ends", () => {
  expect(countBetween(at(1, 2, 3), 1, 3)).toBe(2);
  expect(mostWithin(at(0, 5, 9, 10, 30), 10)).toBe(3);
  expect(mostWithin([], 10)).toBe(0);
  // Ten a second for 10 s, and one that came a minute later.
  const steady = Array.from({ length: 100 }, (_, index) => index * 100);
  expect(ratePerSecond([...steady, 70_000])).toBeCloseTo(10);
  expect(ratePerSecond([])).toBe(0);
});

it("bursts of a second's worth are one second ahead of their rate, and two together are two", () => {
  expect(secondsAhead([], 10)).toBe(0);
  expect(secondsAhead([...burst(0), ...burst(1_000), ...burst(2_000), ...burst(9_000)], 10)).toBeCloseTo(1);
  expect(secondsAhead([...burst(0), ...burst(5_000), ...burst(5_000)], 10)).toBeCloseTo(2);
  expect(secondsAhead([...burst(900), ...burst(1_000)], 10)).toBeCloseTo(1.9);
  // The same bursts, by the rate between a tenth and nine tenths of them: 125 % of it.
  const late = [...burst(900), ...burst(1_000), ...burst(2_000), ...burst(3_000), ...burst(4_000)];
  expect(ratePerSecond(late.map((one) => one.at))).toBeGreaterThan(12.5);
});

it("a figure without a limit is shown and not counted, and no number holds nothing", () => {
  const figures = [
    shown("what", "so"),
    atMost("few", 3, 2),
    exactly("same", 2, 2),
    shareAtLeast("of it", Number.NaN, 0.9),
  ];
  const results = [{ scenario: "one", figures, tookMs: 1 }];
  expect(countChecks(results)).toEqual({ passed: 1, failed: 2 });
  expect(toTable(results).split("\n")[2]).toBe("FAILED  one       few     3      at most 2");
});

it("durations are shown as they would be in real life", () => {
  const scale = createTimeScale(30);
  expect(scale.here(hourMs)).toBe(2 * minuteMs);
  expect(scale.toRealText(2_000)).toBe("1m 0s");
  expect(scale.toRealText(130_000)).toBe("1h 5m");
  expect(scale.toRealText(100)).toBe("3.0s");
});

it("a body is published twice if it was accepted again before it came back, and not after", () => {
  expect(
    publishedTwice([accepted("1", "a"), accepted("2", "a"), accepted("3", "b")], [{ messageId: "1" }]),
  ).toBe(0);
  expect(
    publishedTwice([accepted("1", "a"), accepted("2", "a"), accepted("3", "b")], [{ messageId: "3" }]),
  ).toBe(1);
});
