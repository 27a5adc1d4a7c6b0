import { expect, test } from "vitest";
import { createDestinationCount } from "../../../../src/people/plan/destination-count.ts";
import type { LedgerView } from "../../../../src/job/contracts/ledger-entries.ts";
import type { Letter } from "../../../../src/job/page/letter.ts";
import { dueLetter, openView } from "../../../support/letters.ts";

function dueAt(url: string, { queue, view, retries }: DueAtFields = {}): Letter {
  return dueLetter({
    url,
    ...(queue === undefined ? {} : { queue }),
    ...(view === undefined ? {} : { view }),
    listed: { maxRetries: retries },
  });
}
interface DueAtFields {
  readonly queue?: string;
  readonly view?: LedgerView;
  readonly retries?: number;
}

const createCount = (...limited: readonly string[]) => createDestinationCount("Upstash-", new Set(limited));

test("publishes are counted by where they go, by when they are due, and by rules with a rate", () => {
  const count = createCount("slow");
  count.add(dueAt("https://a.example.com/x"), "slow", 0);
  count.add(dueAt("https://a.example.com/y"), "fast", 0);
  count.add(dueAt("https://a.example.com/y"), "slow", 40_000);
  count.add(dueAt("http://a.example.com/y"), null, -5);
  count.add(dueAt("https://a.example.com/z", { queue: "invoices" }), null, 30_000);
  const again = openView();
  count.add(dueAt("https://a.example.com/y", { view: again }), "fast", 0);
  expect(count.report()).toMatchObject({
    destinations: [
      { origin: "https://a.example.com", host: "a.example.com", publishes: 3, later: 1 },
      { origin: "http://a.example.com", host: "a.example.com", publishes: 1, later: 0 },
      { origin: "queue:invoices", host: "queue:invoices", publishes: 0, later: 1 },
    ],
    ofRules: new Map([["slow", 2]]),
    again: 1,
    laterSpan: { fromMs: 30_000, toMs: 40_000 },
  });
  expect(createCount().report()).toMatchObject({ destinations: [], laterSpan: null });
});

test("what is billed if every attempt fails goes by each message's own retries, or by three", () => {
  const count = createCount();
  count.add(dueAt("https://a.example.com/", { retries: 0 }), null, 0);
  count.add(dueAt("https://a.example.com/"), null, 60_000);
  expect(count.report().worstBilled).toBe(1 + 4);
});

test("a thousand destinations are counted apart, and all others together", () => {
  const count = createCount();
  for (let host = 0; host < 1_500; host += 1) {
    count.add(dueAt(`https://h${host}.example.com/`), null, 0);
  }
  const { destinations } = count.report();
  expect(destinations).toHaveLength(1_001);
  expect(destinations.at(-1)).toEqual({ origin: null, host: "", publishes: 500, later: 0 });
});
