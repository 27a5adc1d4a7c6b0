import { describe, expect, it } from "vitest";
import { compileRules } from "../../src/rules/compile-rules.ts";
import { explainRules } from "../../src/rules/explain-rules.ts";
import { parseDurationPatterns } from "../../src/rules/parse-durations.ts";
import { parseNumberPatterns } from "../../src/rules/parse-numbers.ts";
import { parseTextPatterns } from "../../src/rules/parse-texts.ts";
import type { Condition, DurationField, NumberField, RuleSpec, TextField } from "../../src/rules/spec.ts";
import type { Parsed } from "../../src/rules/parsed.ts";
import { enteredAt, factsOf } from "../support/letters.ts";

function parsed<T>(result: Parsed<T>): T {
  if (!result.ok) throw new Error(result.expected);
  return result.value;
}
const text = (field: TextField, value: unknown): Condition => ({
  kind: "text",
  field,
  oneOf: parsed(parseTextPatterns(value)),
});
const header = (name: string, value: unknown): Condition => ({
  kind: "header",
  name,
  oneOf: parsed(parseTextPatterns(value)),
});
const number = (field: NumberField, value: unknown): Condition => ({
  kind: "number",
  field,
  oneOf: parsed(parseNumberPatterns(value)),
});
const duration = (field: DurationField, value: unknown): Condition => ({
  kind: "duration",
  field,
  oneOf: parsed(parseDurationPatterns(value)),
});
const rule = (name: string, when: Condition, more: Partial<RuleSpec> = {}): RuleSpec => ({
  name,
  when,
  then: "republish",
  ...more,
});
const holds = (condition: Condition, fields: Record<string, unknown>, known = {}) =>
  compileRules([rule("r", condition)], "hold")(factsOf(fields, known)).rule === "r";

const why = (condition: Condition, fields = {}, known = {}) =>
  explainRules([rule("r", condition)], "hold", factsOf(fields, known)).steps[0]?.why;

describe("a condition", () => {
  it.each<[string, Condition, Record<string, unknown>, boolean]>([
    ["a status", number("responseStatus", [429, "502-504"]), { responseStatus: 503 }, true],
    ["another status", number("responseStatus", [429, "502-504"]), { responseStatus: 500 }, false],
    ["no answer is none", number("responseStatus", "none"), { responseStatus: 0 }, true],
    ["no answer is no number", number("responseStatus", "< 1000"), {}, false],
    ["an answer is not none", number("responseStatus", "none"), { responseStatus: 200 }, false],
    ["a host glob", text("host", "*.example.com"), {}, true],
    ["a host glob without its dot", text("host", "*.example.com"), { url: "https://example.com" }, false],
    ["a host in another case", text("host", "API.Example.Com"), { url: "https://api.EXAMPLE.com" }, true],
    ["a host without the record's port", text("host", "a.example"), { url: "http://a.example:81/" }, true],
    ["a host with the record's port", text("host", "a.example:81"), { url: "http://a.example:81/" }, true],
    ["a host of what is no URL", text("host", "*"), { url: "orders" }, false],
    ["no host of what is no URL", text("host", "none"), { url: "orders" }, true],
    ["a path", text("path", "/orders"), { url: "https://a.example/orders?x=1" }, true],
    ["a path prefix", text("path", "/or*"), {}, true],
    ["a path in another case", text("path", "/Orders"), {}, false],
    ["the whole url", text("url", "https://api.example.com/orders"), {}, true],
    ["an absent topic", text("topicName", "*"), {}, false],
    ["an absent topic is none", text("topicName", ["x", "none"]), {}, true],
    ["a queue", text("queueName", "q"), { queueName: "q" }, true],
    ["any of the labels", text("label", "b"), { labels: ["a", "b"] }, true],
    ["no label", text("label", "none"), {}, true],
    ["a method in another case", text("method", "post"), {}, true],
    [
      "a header in another case",
      header("x-tenant", "acme"),
      { header: { "X-Tenant": ["other", "acme"] } },
      true,
    ],
    [
      "a header value in another case",
      header("x-tenant", "ACME"),
      { header: { "X-Tenant": ["acme"] } },
      false,
    ],
    ["an absent header", header("x-tenant", "*"), { header: {} }, false],
    ["an absent header is none", header("x-tenant", "none"), { header: {} }, true],
    ["a header called like a prototype's property", header("constructor", "*"), { header: {} }, false],
  ])("%s", (_name, condition, fields, expected) => {
    expect(holds(condition, fields)).toBe(expected);
  });

  it("nests with all, some and not", () => {
    const yes: Condition = { kind: "any" };
    const no: Condition = { kind: "not", of: yes };
    expect(holds({ kind: "all", of: [yes, yes] }, {})).toBe(true);
    expect(holds({ kind: "all", of: [yes, no] }, {})).toBe(false);
    expect(holds({ kind: "some", of: [no, yes] }, {})).toBe(true);
    expect(holds({ kind: "some", of: [no, no] }, {})).toBe(false);
    expect(holds({ kind: "all", of: [] }, {})).toBe(true);
    expect(holds({ kind: "some", of: [] }, {})).toBe(false);
  });

  it("counts age from entry and messageAge from the root's creation", () => {
    const known = { now: enteredAt + 60_000, rootCreatedAt: enteredAt - 3_600_000 };
    expect(holds(duration("age", ">= 1m"), {}, known)).toBe(true);
    expect(holds(duration("age", "> 1m"), {}, known)).toBe(false);
    expect(holds(duration("messageAge", "> 1h"), {}, known)).toBe(true);
    expect(holds(duration("age", "< 5m"), {}, { now: enteredAt - 1_000 })).toBe(true);
  });

  it("asks for redrives already made", () => {
    expect(holds(number("attempt", ">= 2"), {}, { attempt: 2 })).toBe(true);
    expect(holds(number("attempt", ">= 2"), {}, { attempt: 1 })).toBe(false);
  });
});

describe("a rule list", () => {
  it("is decided by the first rule that holds", () => {
    const set = { retries: 1 };
    const route = compileRules(
      [
        rule("first", text("topicName", "x")),
        rule("second", { kind: "any" }, { set }),
        rule("third", { kind: "any" }),
      ],
      "park",
    );
    expect(route(factsOf())).toEqual({ then: "republish", rule: "second", set });
  });

  it("is decided by otherwise when no rule holds", () => {
    expect(compileRules([], "park")(factsOf())).toEqual({ then: "park", rule: null, set: {} });
    expect(compileRules([], "hold")(factsOf())).toEqual({ then: "hold", rule: null, set: {} });
  });

  it("skips a rule after its date and not before", () => {
    const route = compileRules([rule("temporary", { kind: "any" }, { ignoreAfter: 1_000 })], "hold");
    expect(route(factsOf({}, { now: 1_000 })).rule).toBe("temporary");
    expect(route(factsOf({}, { now: 1_001 })).rule).toBeNull();
  });
});

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
    const { steps, routing } = explainRules(rules, "hold", factsOf({ responseStatus: 404 }));
    expect(steps).toEqual([
      { rule: "expired", outcome: "ignored", why: "ignored after 1970-01-01T00:00:00.000Z" },
      {
        rule: "status",
        outcome: "failed",
        why: "responseStatus is one of 500-599, none, but the record has 404",
      },
      { rule: "outage", outcome: "held", why: 'not (topicName is "billing")' },
      { rule: "rest", outcome: "not-reached", why: 'rule "outage" decided' },
    ]);
    expect(routing.rule).toBe("outage");
  });

  it("explains alternatives, negations and ages", () => {
    expect(why({ kind: "some", of: [number("attempt", 3), text("queueName", ["a", "b"])] })).toBe(
      'none of (attempt is 3, but the record has 0; queueName is one of "a", "b", but the record has none)',
    );
    expect(why({ kind: "not", of: { kind: "any" } })).toBe("not (any), but that holds");
    expect(why(duration("age", "> 48h"), {}, { now: enteredAt + 5_400_000 })).toBe(
      "age is from 2d, but the record has 1h30m",
    );
    expect(why(number("responseStatus", "<= 400"), { responseStatus: 500 })).toBe(
      "responseStatus is up to 400, but the record has 500",
    );
  });

  it("never shows a header value, a path or a query of the record", () => {
    const fields = {
      url: "https://a.example/secret-path?token=secret-query",
      header: { "X-Key": ["secret-value"] },
    };
    const conditions = [text("url", "x"), text("path", "x"), header("X-Key", "x")];
    const { steps } = explainRules(
      conditions.map((condition, index) => rule(`r${index}`, condition)),
      "hold",
      factsOf(fields),
    );
    expect(steps).toHaveLength(3);
    expect(JSON.stringify(steps)).not.toContain("secret");
  });
});
