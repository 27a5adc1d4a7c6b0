import { describe, expect, it } from "vitest";
import { toCheckText } from "../../../../../src/people/cli/rules/check-text.ts";
import { toTestText } from "../../../../../src/people/cli/rules/test-results-text.ts";
import { runRuleTests } from "../../../../../src/people/cli/rules/run-tests.ts";
import { loadDocument } from "../../../../../src/config/document/load-document.ts";
import { parseYaml } from "../../../../../src/config/text/yaml-tree.ts";
import { fitting } from "../../../../support/fitting.ts";
import { anyItem } from "../../../../support/item-checks.ts";
import { loaded } from "../../../../support/drains-documents.ts";

const checkText = (text: string, now?: number) =>
  fitting(
    toCheckText(80, {
      file: "drains.yaml",
      outcome: loadDocument(text, "drains.yaml", now === undefined ? {} : { now }),
    }),
  );

function testText(text: string): string {
  const tree = parseYaml(text, "drains.yaml");
  if (!tree.ok) throw new Error("the test's document is no YAML");
  const run = runRuleTests(loaded(text, "drains.yaml").drains, {
    headerPrefix: "Upstash-",
    checkItemOf: () => anyItem,
    locate: (path) => tree.tree.locate(path, "value"),
  });
  return fitting(toTestText(80, "drains.yaml", run));
}

describe("what redriver rules check shows", () => {
  it("of a document with mistakes: each with its place, what was found and what was expected", () => {
    const text = `version: 1
sources: { default: {} }
drains:
  orders:
    selct: { topicName: orders }
    rules:
      - { name: a, when: { responseStatus: 5xy }, then: republish }
      - { name: b, then: drop }
    tests:
      - { name: t, given: { responseStatus: 503, age: soon }, expect: { then: hold, rule: c } }
`;
    expect(checkText(text)).toMatchInlineSnapshot(`
      "drains.yaml:5:5: error: drains.orders
        unknown key "selct"; did you mean "select"? expected one of source, paused,
        mode, schedule, minAge, attempts, lane, limits, flowControl, onLoss,
        unknownOutcome, afterLedgerLoss, beforeExpiry, otherwise, select, guards,
        rules, tests
      drains.yaml:7:44: error: drains.orders.rules[0].when.responseStatus
        expected a whole number (503), a range (502-504), a class (5xx), a comparison
        (< 3, >= 5), none, or one of { equals, in, range, exists }, got "5xy"
      drains.yaml:8:9: error: drains.orders.rules[1]
        missing when; expected when beside republish and drop; when: any says it of
        every record on purpose
      drains.yaml:8:20: warning: drains.orders.rules[1].then
        will be refused in a live drain: a drop is archived first, and the document
        has no archive
      drains.yaml:10:55: error: drains.orders.tests[0].given.age
        expected a duration in ms, s, m, h or d, such as 30s, 2m, 1h30m or 3d, got
        "soon"
      drains.yaml:10:91: error: drains.orders.tests[0].expect.rule
        unknown rule "c"; did you mean "a"? expected one of a, b, none
      5 errors, 1 warning: drains.yaml
      "
    `);
  });

  it("of one that loads and is probably not meant so", () => {
    const text = `version: 1
sources: { default: {} }
drains:
  orders:
    select: { topicName: orders }
    rules:
      - { name: over, ignoreAfter: 2025-01-01, when: { responseStatus: 503 }, then: hold }
      - { name: all, when: any, then: hold }
      - { name: never, when: { topicName: refunds }, then: park }
`;
    expect(checkText(text, Date.UTC(2026, 0, 1))).toMatchInlineSnapshot(`
      "drains.yaml:7:23: warning: drains.orders.rules[0].ignoreAfter
        is skipped: its ignoreAfter 2025-01-01T23:59:59.999Z has passed
      drains.yaml:9:9: warning: drains.orders.rules[2]
        is never asked: rule "all" above it matches every record
      2 warnings: drains.yaml: 1 source, 1 drain, 3 rules, 0 tests, hash 83b1a5d257ba
      "
    `);
  });
});

it("what redriver rules test shows where some fail: expected, got, and the walk through the rules", () => {
  const text = `version: 1
sources: { default: {} }
drains:
  orders:
    select: { topicName: orders }
    rules:
      - name: bad-deploy
        when: { responseStatus: 422, body: { /schema: "< 3" } }
        then: republish
        set: { body: { merge: { schema: 3 } }, headers: { X-Repaired: "true" } }
      - { name: over, ignoreAfter: 2025-01-01, when: any, then: park }
      - { name: outage, when: { responseStatus: [502-504, none], host: "*.example.com" }, then: republish }
      - { name: last, when: { responseStatus: 500 }, then: park }
    tests:
      - name: passes
        given: { responseStatus: 418 }
        expect: { then: hold }
      - name: the schema is lifted, further than it is
        given: { responseStatus: 422, body: { schema: 2, lines: [1] } }
        expect:
          then: republish
          item: { destination: "https://new.example.com/", queue: q, headers: { X-Repaired: null, X-Other: a }, body: { schema: 4, lines: [1] } }
          losses: []
      - name: another rule
        given: { url: "https://api.example.com/", responseStatus: 503, age: 40s }
        expect: { then: republish, rule: last, reason: due }
      - name: a record that the drain never sees
        given: { topicName: refunds, responseStatus: 500 }
        expect: { then: park, rule: last }
      - name: a record that cannot be read
        given: { dlqId: nonsense }
        expect: { then: hold }
`;
  expect(testText(text)).toMatchInlineSnapshot(`
      "drains.yaml:18:9: failed orders
        test               the schema is lifted, further than it is
        losses             expected  none
                           got       group-membership
        destination        expected  https://new.example.com/
                           got       https://example.com/
        queue              expected  q
                           got       nothing
        header X-Repaired  expected  nothing
                           got       true
        header X-Other     expected  a
                           got       nothing
        body /schema       expected  4
                           got       3
        decision           republish: due (rule "bad-deploy")
        not asked          over, outage, last

        rules
          rule        matches  why
          bad-deploy  yes      all (responseStatus is 422; body "/schema" is < 3)

      drains.yaml:24:9: failed orders
        test       another rule
        then       expected  republish
                   got       hold
        rule       expected  last
                   got       outage
        reason     expected  due
                   got       too-young
        decision   hold: too-young (rule "outage", 40s of 2m)
        not asked  last

        rules
          rule        matches  why
          bad-deploy  no       responseStatus is 422, but the record has 503
          over        ignored  ignored after 2025-01-01T23:59:59.999Z
          outage      yes      all (responseStatus is one of 502-504, none; host is
                               "*.example.com")

      drains.yaml:27:9: failed orders
        test      a record that the drain never sees
        select    expected  a record that the drain's select lists
                  got       one that it never sees
        decision  park: rule (rule "last")

        rules
          rule        matches  why
          bad-deploy  no       responseStatus is 422, but the record has 500
          over        ignored  ignored after 2025-01-01T23:59:59.999Z
          outage      no       responseStatus is one of 502-504, none, but the record
                               has 500
          last        yes      responseStatus is 500

      drains.yaml:30:9: failed orders
        test      a record that cannot be read
        then      expected  hold
                  got       park
        decision  park: malformed-record: field "dlqId" must be
                  <milliseconds>-<sequence>, not beyond the year 9999

      failed: 4 of 5 tests, 1 passed
      "
    `);
});
