import { expect, test } from "vitest";
import { createDestinationCount } from "../../../../src/people/plan/destination-count.ts";
import { dueLetter, openView } from "../../../support/letters.ts";

const dueAt = (url: string, more: Partial<Parameters<typeof dueLetter>[0]> = {}) =>
  dueLetter({ url, ...more });

const createCount = (...limited: readonly string[]) => createDestinationCount(new Set(limited));

test("publishes are counted by where they go, by when they are due, and by rules with a rate", () => {
  const count = createCount("slow");
  count.add(dueAt("https://a.example.com/x"), "slow", "now");
  count.add(dueAt("https://a.example.com/y"), "fast", "now");
  count.add(dueAt("https://a.example.com/y"), "slow", "later");
  count.add(dueAt("http://a.example.com/y"), null, "now");
  count.add(dueAt("https://a.example.com/z", { queue: "invoices" }), null, "later");
  count.add(dueAt("https://a.example.com/y", { view: openView() }), "fast", "now");
  expect(count.report()).toMatchObject({
    destinations: [
      { origin: "https://a.example.com", host: "a.example.com", publishes: 3, later: 1 },
      { origin: "http://a.example.com", host: "a.example.com", publishes: 1, later: 0 },
      { origin: "queue:invoices", host: "queue:invoices", publishes: 0, later: 1 },
    ],
    ofRules: new Map([["slow", 2]]),
    again: 1,
  });
  expect(createCount().report()).toMatchObject({ destinations: [] });
});

test("a thousand destinations are counted apart, and all others together", () => {
  const count = createCount();
  for (let host = 0; host < 1_500; host += 1) {
    count.add(dueAt(`https://h${host}.example.com/`), null, "now");
  }
  const { destinations } = count.report();
  expect(destinations).toHaveLength(1_001);
  expect(destinations.at(-1)).toEqual({ origin: null, host: "", publishes: 500, later: 0 });
});
