/**
 * What one decision costs. Of 50 rules 40 ask for fields, ranges and prefixes, and 10 for globs. None
 * matches, so every rule is asked. The budget is 5 µs in the median. Beside it stand the same rules written
 * as closures over the record. Apart from it stands what a rule over a body or with a regular expression
 * adds.
 */
import { bench, describe } from "vitest";
import { when } from "../../src/config/document/schema/when-schema.ts";
import { toCondition } from "../../src/config/document/compile-document.ts";
import { compileRules } from "../../src/job/rules/compile-rules.ts";
import type { Router } from "../../src/job/rules/decision.ts";
import type { RecordFacts } from "../../src/job/rules/record-facts.ts";
import { factsOf } from "../support/letters.ts";

const indexes = (count: number) => Array.from({ length: count }, (_, index) => index);

/** Written as in a document, so that what is measured is what a document becomes. */
const fieldRules: readonly object[] = indexes(10).flatMap((n) => [
  { responseStatus: [`${510 + n}-${520 + n}`, 400 + n], topicName: `topic-${n}` },
  { path: { prefix: `/v${n}/` }, method: "POST" },
  { queueName: [`queue-${n}`, `queue-${n + 1}`], attempt: "< 3" },
  { header: { "X-Tenant": `tenant-${n}` }, age: "> 5m" },
]);
const globRules: readonly object[] = indexes(10).map((n) => ({ host: `*.region-${n}.example.com` }));

function routerOf(conditions: readonly object[]): Router {
  const rules = conditions.map((condition, index) => ({
    name: `rule-${index}`,
    when: toCondition(when.parse(condition)),
    then: "hold" as const,
  }));
  return compileRules(rules, "hold");
}

const body = JSON.stringify({
  tenant: "acme",
  schema: 3,
  items: indexes(40).map((id) => ({ id, name: `item number ${id}`, price: id * 1.5 })),
});
/** A new record for each decision: what is worked out once per record is part of its cost. */
const letter = factsOf({
  url: "https://api.shop.example.com/orders/1?x=1",
  topicName: "orders",
  responseStatus: 503,
  header: Object.fromEntries(indexes(12).map((n) => [`X-Header-${n}`, [`value ${n}`]])),
  responseBody: "upstream connect error or disconnect/reset before headers. reset reason: overflow",
  body,
}).letter;
const record = (): RecordFacts => ({
  letter,
  now: letter.enteredAt + 3_600_000,
  attempt: 1,
  rootCreatedAt: letter.createdAt,
  expiresAt: letter.enteredAt + 259_200_000,
});

const written = routerOf([...fieldRules, ...globRules]);
const byHand = closures();
const withBody = routerOf([{ body: { "/tenant": "other" } }]);
const withTenBodies = routerOf(indexes(10).map((n) => ({ body: { "/tenant": `tenant-${n}` } })));
const withRegex = routerOf([{ responseBody: { regex: "reset reason: (timeout|refused)$" } }]);
const withGlobInBody = routerOf([{ body: "*nowhere*" }]);

const options = { time: 1_500, warmupTime: 300 };

describe("one decision", () => {
  bench("50 rules: 40 field, range and prefix, 10 glob", () => void written(record()), options);
  bench("the same by hand", () => void byHand(record()), options);
});

describe(`apart: a body of ${body.length} characters`, () => {
  bench("JSON.parse of it alone", () => void JSON.parse(body), options);
  bench("one rule with a JSON pointer", () => void withBody(record()), options);
  bench("ten rules with JSON pointers", () => void withTenBodies(record()), options);
  bench("one rule with a glob over the whole", () => void withGlobInBody(record()), options);
});

describe("apart: a regular expression", () => {
  bench("one rule, 81 characters of response body", () => void withRegex(record()), options);
});

/** What somebody would write who has these fifty rules and no document. */
function closures(): (facts: RecordFacts) => string {
  const rules: ((facts: RecordFacts, url: URL) => boolean)[] = indexes(10).flatMap((n) => [
    ({ letter: { responseStatus: status = 0, topicName } }: RecordFacts) =>
      ((status >= 510 + n && status <= 520 + n) || status === 400 + n) && topicName === `topic-${n}`,
    ({ letter: { method } }: RecordFacts, url: URL) =>
      url.pathname.startsWith(`/v${n}/`) && method.toUpperCase() === "POST",
    ({ letter: { queueName }, attempt }: RecordFacts) =>
      attempt < 3 && (queueName === `queue-${n}` || queueName === `queue-${n + 1}`),
    ({ letter: { header, enteredAt }, now }: RecordFacts) =>
      now - enteredAt > 300_000 && (header["X-Tenant"] ?? []).includes(`tenant-${n}`),
  ]);
  for (const n of indexes(10)) {
    rules.push((_facts, url) => url.hostname.endsWith(`.region-${n}.example.com`));
  }
  return (facts) => {
    const url = new URL(facts.letter.url);
    const first = rules.findIndex((holds) => holds(facts, url));
    return first === -1 ? "hold" : `rule-${first}`;
  };
}
