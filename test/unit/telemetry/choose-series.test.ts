import { expect, test } from "vitest";
import type { Destination, QueueFacts } from "../../../src/job/contracts/queue-facts.ts";
import { chooseDestinations, chooseFailures } from "../../../src/telemetry/choose-series.ts";
import { createRisingTotals } from "../../../src/telemetry/drain-and-source-gauges.ts";
import { drainFacts, facts, recordedFailure } from "../../support/metrics.ts";

type DrainRow = QueueFacts["drains"][number];
const [drain] = facts.drains as readonly [DrainRow];
const [destination] = drain.destinations as readonly [Destination];
const [failure] = drainFacts.failures as readonly [(typeof drainFacts.failures)[number]];

const drainOf = (count: number, name: string): DrainRow => ({
  ...drain,
  drain: name as DrainRow["drain"],
  destinations: Array.from({ length: 15 }, (_, at) => ({
    ...destination,
    origin: `${name}-${at}`,
    waiting: count + at,
  })),
});

test("the 20 destinations with most that waits are shown, and what waits for all others in one sum", () => {
  const { shown, otherWaiting } = chooseDestinations([drainOf(1, "small"), drainOf(100, "large")]);
  expect(shown.map(({ drain: name, origin, waiting }) => `${name} ${origin} ${waiting}`)).toEqual([
    ...Array.from({ length: 15 }, (_, at) => `large large-${14 - at} ${114 - at}`),
    ...Array.from({ length: 5 }, (_, at) => `small small-${14 - at} ${15 - at}`),
  ]);
  expect(otherWaiting).toBe(10 + 9 + 8 + 7 + 6 + 5 + 4 + 3 + 2 + 1);
});

test("failures are those with most that waits, of all drains, and up to 20 that were met within a day", () => {
  const now = recordedFailure.firstMetAt + 86_400_000 + 100;
  const kinds = Array.from({ length: 100 }, (_, at) => ({
    ...recordedFailure,
    id: String(at),
    // Of the second half each was met a little later than the one before it.
    firstMetAt: recordedFailure.firstMetAt + (at < 50 ? 0 : 50 + at),
  }));
  const failures = kinds.slice(0, 30).map(({ id }, at) => ({ ...failure, id, waiting: at, arrived: 7 }));
  const row = { ...drain, facts: { ...drainFacts, failures } };
  const shown = chooseFailures(kinds, [row, row], now);
  expect(shown.map(({ id }) => Number(id))).toEqual([
    ...Array.from({ length: 20 }, (_, at) => 29 - at),
    ...Array.from({ length: 20 }, (_, at) => 99 - at),
  ]);
  expect(shown[0]).toMatchObject({ waiting: 58, arrived: 14 });
  expect(shown[20]).toMatchObject({ waiting: 0, arrived: 0 });
});

test("a total goes on rising from where it was when a part of it is forgotten", () => {
  const rising = createRisingTotals();
  expect([10, 12, 5, 6].map((value) => rising("a", value))).toEqual([10, 12, 12, 13]);
  expect(rising("b", 3)).toBe(3);
});
