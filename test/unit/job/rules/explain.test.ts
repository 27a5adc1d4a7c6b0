import { describe, expect, it } from "vitest";
import { explainRules } from "../../../../src/job/rules/explain-rules.ts";
import type { Condition } from "../../../../src/job/rules/rule-spec.ts";
import { address, duration, header, moment, number, rule, text, value } from "../../../support/conditions.ts";
import { enteredAt, factsOf } from "../../../support/letters.ts";

const why = (condition: Condition, fields = {}, known = {}) =>
  explainRules([rule("r", condition)], factsOf(fields, known))[0]?.why;

describe("an explanation", () => {
  it("names what failed first, what held and what was not asked", () => {
    const rules = [
      rule("expired", { kind: "any" }, { ignoreAfter: 0 }),
      rule("status", {
        kind: "all",
        of: [text("host", "*.example.com"), number("responseStatus", ["5xx", "none"]), text("label", "x")],
      }),
      rule("outage", { kind: "not", of: text("topicName", "billing") }),
      rule("rest", { kind: "any" }),
    ];
    expect(explainRules(rules, factsOf({ responseStatus: 404 }))).toEqual([
      { rule: "expired", outcome: "ignored", why: "ignored after 1970-01-01T00:00:00.000Z" },
      {
        rule: "status",
        outcome: "failed",
        why: "responseStatus is one of 500-599, none, but the record has 404",
      },
      { rule: "outage", outcome: "held", why: 'not (topicName is "billing")' },
      { rule: "rest", outcome: "not-reached", why: 'rule "outage" decided' },
    ]);
  });

  it("explains alternatives, negations and ages", () => {
    expect(why({ kind: "some", of: [number("attempt", 3), text("queueName", ["a", "b"])] })).toBe(
      'none of (attempt is 3, but the record has 0; queueName is one of "a", "b", but the record has none)',
    );
    expect(why({ kind: "not", of: { kind: "any" } })).toBe("not (any), but that matches");
    expect(why(duration("age", "> 48h"), {}, { now: enteredAt + 5_400_000 })).toBe(
      "age is > 2d, but the record has 1h30m",
    );
    expect(why(number("responseStatus", "<= 400"), { responseStatus: 500 })).toBe(
      "responseStatus is < 401, but the record has 500",
    );
  });

  it("never shows a header value, a path or a query of the record", () => {
    const fields = {
      url: "https://a.example/secret-path?token=secret-query",
      header: { "X-Key": ["secret-value"] },
      responseHeader: { "X-Key": "secret-answer" },
      body: '{"key":"secret-text","list":["secret-member"],"secret-name":1}',
      responseBody: '"secret-whole"',
      callback: "https://u:secret-user@a.example/secret-callback",
      failureCallback: "https://a.example/?secret-failure",
      callerIP: "10.99.98.97",
    };
    const texts = ["url", "path", "body", "responseBody", "callback", "failureCallback"] as const;
    const conditions = [
      ...texts.map((field) => text(field, "x")),
      ...(["request", "response"] as const).map((of) => header("X-Key", "x", of)),
      ...["/key", "/list", ""].map((pointer) => value("body", pointer, "x")),
      value("responseBody", "", "x"),
      address("10.0.0.1"),
    ];
    for (const condition of conditions) expect(why(condition, fields)).not.toMatch(/secret|10\.99/);
    expect(why(text("path", "x"), fields)).toBe('path is "x", but the record has another');
  });

  it("never shows what a rule says of header values, bodies and queries, which may be secret too", () => {
    const conditions = [
      header("X-Key", { prefix: "secret" }),
      header("X-Key", ["secret", { regex: "secret" }], "response"),
      text("url", "https://a.example/?k=secret"),
      text("callback", { suffix: "?secret" }),
      text("failureCallback", { regex: "secret" }),
      text("body", { prefix: "secret" }),
      text("responseBody", "secret"),
      value("body", "/key", ["secret", { regex: "secret" }]),
    ];
    const told = conditions.flatMap((condition) => [why(condition), why({ kind: "not", of: condition })]);
    expect(told).toHaveLength(16);
    expect(told.join()).not.toContain("secret");
    expect(told[0]).toBe("header X-Key is [set], but the record has none");
  });

  it.each<[Condition, string]>([
    [value("body", "/schema", "< 3"), 'body "/schema" is < 3, but the record has another number'],
    [
      value("body", "/tenant", ["acme", { regex: "^a" }]),
      'body "/tenant" is one of [set], [set], but the record has a list',
    ],
    [value("body", "/gone", { exists: true }), 'body "/gone" is there, but the record has none'],
    [value("body", "/on", { equals: null }), 'body "/on" is null, but the record has another boolean'],
    [address(["10.0.0.0/8", "none"]), "callerIp is one of 10.0.0.0/8, none, but the record has another"],
    [
      moment("createdAt", "< 2020-01-01"),
      "createdAt is < 2020-01-01T00:00:00.000Z, but the record has 2024-09-03T00:33:18.779Z",
    ],
    [duration("timeLeft", "< 1h"), "timeLeft is < 1h, but the record has 2d23h"],
    [text("topicName", { exists: true }), "topicName is there, but the record has none"],
    [number("size", "> 100"), "size is > 100, but the record has 35"],
  ])("says why: %#", (condition, expected) => {
    const fields = { body: '{"schema":3,"tenant":[],"on":false}', callerIP: "9.9.9.9" };
    expect(why(condition, fields, { now: enteredAt + 1_000 })).toBe(expected);
  });
});
