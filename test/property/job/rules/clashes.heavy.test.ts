import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { loadWhen } from "../../../support/decide-by-document.ts";
import { compileCondition } from "../../../../src/job/rules/compile-condition.ts";
import { findClash } from "../../../../src/job/rules/find-clash.ts";
import type { Condition } from "../../../../src/job/rules/rule-spec.ts";
import { Subject } from "../../../../src/job/rules/subject.ts";
import { conditions, recordFacts } from "../../../support/arbitrary-rules.ts";

const words = ["a", "b", '"a*"', "[a, c]", "none", "{ prefix: a }", "{ exists: true }"];
const numbers = ['"> 1"', '"< 3"', '">= 2"', '"<= 2"', "{ range: 1-2 }"];
const statuses = ['"> 501"', '"<= 502"', "502", "5xx", "none", "[503, 502]"];
/** Tests of one field each, as they are written. */
const fields: readonly (readonly string[])[] = [
  ...["label", "queueName"].map((field) => words.map((word) => `{ ${field}: ${word} }`)),
  ...["body: { /a", "responseBody: { /a", "header: { X-A"].map((field) =>
    [...words, ...numbers].map((word) => `{ ${field}: ${word} } }`),
  ),
  ...["responseStatus", "maxRetries"].map((field) => statuses.map((status) => `{ ${field}: ${status} }`)),
  ["A.", '"a:443"', '"a:80"', "b", '"*"'].map((host) => `{ host: ${host} }`),
  ["/é", "/%c3%A9", "/b/../é", "/b", '"*"'].map((path) => `{ path: ${path} }`),
  ["get", "GET", "post"].map((method) => `{ method: ${method} }`),
];
/** Two or more of one field, and at times one of another. */
const whens = fc
  .record({
    field: fc.nat(fields.length - 1),
    picks: fc.array(fc.nat(11), { minLength: 2, maxLength: 3 }),
    other: fc.option(fc.constantFrom(...fields.flat())),
  })
  .map(({ field, picks, other }) => {
    const ofField = fields[field] ?? [];
    return [...picks.map((pick) => ofField[pick % ofField.length] ?? ""), ...(other === null ? [] : [other])];
  });
const scalars = fc.constantFrom('"a"', '"b"', "1", "2", "2.5", "3", "null");
const records = fc.record({
  labels: fc.subarray(["a", "b", "c"]),
  queueName: fc.constantFrom("", "a", "b"),
  header: fc.constantFrom({}, { "x-a": ["a", "b"] }, { "X-A": ["1", "3"] }),
  body: scalars.map((a) => `{"a":${a}}`),
  responseBody: scalars.map((a) => `{"a":${a}}`),
  responseStatus: fc.constantFrom(0, 404, 501, 502, 503),
  maxRetries: fc.constantFrom(501, 502, 503),
  url: fc.constantFrom("https://a/é", "http://a./%C3%a9", "http://b/b", "https://a:80/é"),
  method: fc.constantFrom("GET", "post"),
});

describe("a document whose rule some record matches", () => {
  it("loads", () => {
    fc.assert(
      fc.property(whens, records, (parts, record) => {
        const matching = parts.map((part) => (loadWhen(part).matches(record) ? part : `{ not: ${part} }`));
        const [first = "", ...others] = matching;
        for (const when of [
          `{ all: [${matching.join(", ")}] }`,
          `{ all: [${first}], any: [${others.join(", ")}] }`,
        ]) {
          const loaded = loadWhen(when);
          if (!loaded.matches(record)) throw new Error(`${when} does not match`);
        }
      }),
      { numRuns: 800 },
    );
  });

  it("has no tests that exclude each other, whatever they are", () => {
    fc.assert(
      fc.property(fc.array(conditions, { minLength: 1, maxLength: 4 }), recordFacts, (of, facts) => {
        const matches = (condition: Condition) => compileCondition(condition)(new Subject(facts));
        const parts = of.map((part): Condition => (matches(part) ? part : { kind: "not", of: part }));
        expect(findClash({ kind: "all", of: parts })).toBeNull();
      }),
      { numRuns: 3_000 },
    );
  });
});
