import { expect, test } from "vitest";
import { createDestinationCount } from "../../../../src/people/plan/destination-count.ts";
import type { Candidate } from "../../../../src/job/page/records.ts";
import { letterOf, sendsPlain } from "../../../support/letters.ts";

function candidateOf(destination: string, { queue, view, retries }: CandidateFields = {}): Candidate {
  const target = queue === undefined ? { destination } : { destination, queue };
  const headers = retries === undefined ? {} : { "Upstash-Retries": String(retries) };
  return {
    letter: letterOf({ url: destination }),
    view: view ?? { state: "absent" },
    target,
    ...sendsPlain({ ...target, headers, body: "" }),
  } as unknown as Candidate;
}
interface CandidateFields {
  readonly queue?: string;
  readonly view?: object;
  readonly retries?: number;
}

const createCount = (...limited: readonly string[]) => createDestinationCount("Upstash-", new Set(limited));

test("publishes are counted by where they go, by when they are due, and by rules with a rate", () => {
  const count = createCount("slow");
  count.add(candidateOf("https://a.example.com/x"), "slow", 0);
  count.add(candidateOf("https://a.example.com/y"), "fast", 0);
  count.add(candidateOf("https://a.example.com/y"), "slow", 40_000);
  count.add(candidateOf("http://a.example.com/y"), null, -5);
  count.add(candidateOf("https://a.example.com/z", { queue: "invoices" }), null, 30_000);
  const again = { state: "open", pastHorizon: false };
  count.add(candidateOf("https://a.example.com/y", { view: again }), "fast", 0);
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
  count.add(candidateOf("https://a.example.com/", { retries: 0 }), null, 0);
  count.add(candidateOf("https://a.example.com/"), null, 60_000);
  expect(count.report().worstBilled).toBe(1 + 4);
});

test("a thousand destinations are counted apart, and all others together", () => {
  const count = createCount();
  for (let host = 0; host < 1_500; host += 1) {
    count.add(candidateOf(`https://h${host}.example.com/`), null, 0);
  }
  const { destinations } = count.report();
  expect(destinations).toHaveLength(1_001);
  expect(destinations.at(-1)).toEqual({ origin: null, host: "", publishes: 500, later: 0 });
});
