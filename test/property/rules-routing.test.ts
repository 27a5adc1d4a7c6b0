import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileRules } from "../../src/rules/compile-rules.ts";
import { explainRules } from "../../src/rules/explain-rules.ts";
import type { RecordFacts } from "../../src/rules/facts.ts";
import type { Condition, NumberPattern, RuleSpec, TextPattern } from "../../src/rules/spec.ts";
import { whenDue } from "../../src/rules/when-due.ts";
import { enteredAt, factsOf } from "../support/letters.ts";

const words = ["a", "b", "ab", "GET", "post", "api.example.com", "/a", "https://api.example.com/a"];

const textPatterns: fc.Arbitrary<readonly TextPattern[]> = fc.array(
  fc.oneof(
    fc.constantFrom(...words).map((value): TextPattern => ({ kind: "exact", value })),
    fc
      .constantFrom("*", "a*", "*b", "*.example.com", "/*", "*a*")
      .map((pattern): TextPattern => ({ kind: "glob", pattern })),
    fc.constant<TextPattern>({ kind: "none" }),
  ),
  { maxLength: 3 },
);
const bound = fc.oneof(
  fc.integer({ min: -10, max: 600 }),
  fc.constantFrom(-Infinity, Infinity, 60_000, 3_600_000),
);
const numberPatterns: fc.Arbitrary<readonly NumberPattern[]> = fc.array(
  fc.oneof(
    fc
      .tuple(bound, bound)
      .map(([a, b]): NumberPattern => ({ kind: "range", from: Math.min(a, b), to: Math.max(a, b) })),
    fc.constant<NumberPattern>({ kind: "none" }),
  ),
  { maxLength: 3 },
);
const textFields = ["url", "host", "path", "topicName", "queueName", "label", "method"] as const;

const { condition } = fc.letrec<{ condition: Condition; leaf: Condition }>((tie) => ({
  leaf: fc.oneof(
    fc.constant<Condition>({ kind: "any" }),
    fc.record({
      kind: fc.constant("text" as const),
      field: fc.constantFrom(...textFields),
      oneOf: textPatterns,
    }),
    fc.record({
      kind: fc.constant("header" as const),
      name: fc.constantFrom("X-A", "x-a", "B"),
      oneOf: textPatterns,
    }),
    fc.record({
      kind: fc.constant("number" as const),
      field: fc.constantFrom("responseStatus" as const, "attempt" as const),
      oneOf: numberPatterns,
    }),
    fc.record({
      kind: fc.constant("duration" as const),
      field: fc.constantFrom("age" as const, "messageAge" as const),
      oneOf: numberPatterns,
    }),
  ),
  condition: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    tie("leaf"),
    fc.record({
      kind: fc.constantFrom("all" as const, "some" as const),
      of: fc.array(tie("condition"), { maxLength: 3 }),
    }),
    fc.record({ kind: fc.constant("not" as const), of: tie("condition") }),
  ),
}));

const rules: fc.Arbitrary<readonly RuleSpec[]> = fc
  .array(
    fc.record({
      when: condition,
      then: fc.constantFrom("republish" as const, "drop" as const, "hold" as const, "park" as const),
      ignoreAfter: fc.constantFrom(0, enteredAt, enteredAt * 2),
    }),
    { maxLength: 6 },
  )
  .map((list) => list.map((rule, index) => ({ ...rule, name: `rule ${index}`, set: { retries: index } })));

const facts: fc.Arbitrary<RecordFacts> = fc
  .record({
    url: fc.constantFrom("https://api.example.com/a", "http://ab:81", "nowhere"),
    topicName: fc.option(fc.constantFrom("a", "b", "ab")),
    queueName: fc.option(fc.constantFrom("a", "b")),
    labels: fc.array(fc.constantFrom("a", "b", "ab")),
    method: fc.constantFrom("GET", "post"),
    header: fc.dictionary(fc.constantFrom("x-A", "b"), fc.array(fc.constantFrom("a", "b"))),
    responseStatus: fc.option(fc.integer({ min: 0, max: 599 })),
  })
  .chain((fields) =>
    fc
      .record({
        now: fc.oneof(
          fc.constant(enteredAt),
          fc.integer({ min: enteredAt - 1_000, max: enteredAt + 4_000_000 }),
        ),
        attempt: fc.nat({ max: 6 }),
        rootCreatedAt: fc.integer({ min: enteredAt - 4_000_000, max: enteredAt }),
      })
      .map((known) => factsOf(fields, known)),
  );
const otherwise = fc.constantFrom("hold" as const, "park" as const);

/** Written apart from the code under test: a condition is a function of plain values, by the ten sentences of the rules. */
function holdsNaively(condition: Condition, { letter, now, attempt, rootCreatedAt }: RecordFacts): boolean {
  const self = { letter, now, attempt, rootCreatedAt };
  switch (condition.kind) {
    case "any":
      return true;
    case "all":
      return condition.of.filter((inner) => !holdsNaively(inner, self)).length === 0;
    case "some":
      return condition.of.filter((inner) => holdsNaively(inner, self)).length > 0;
    case "not":
      return !holdsNaively(condition.of, self);
    case "duration":
    case "number": {
      const value = {
        responseStatus: letter.responseStatus,
        attempt,
        age: now - letter.enteredAt,
        messageAge: now - rootCreatedAt,
      }[condition.field];
      return condition.oneOf.some((pattern) =>
        pattern.kind === "none"
          ? value === undefined
          : value !== undefined && value >= pattern.from && value <= pattern.to,
      );
    }
    case "header":
    case "text": {
      const address = URL.canParse(letter.url) ? new URL(letter.url) : undefined;
      const values =
        condition.kind === "header"
          ? Object.entries(letter.header).flatMap(([name, list]) =>
              name.toUpperCase() === condition.name.toUpperCase() ? list : [],
            )
          : {
              url: [letter.url],
              host: address === undefined ? [] : [address.host, address.hostname],
              path: address === undefined ? [] : [address.pathname],
              topicName: [letter.topicName],
              queueName: [letter.queueName],
              label: letter.labels,
              method: [letter.method.toUpperCase()],
            }[condition.field];
      const given = values.filter((value) => value !== undefined);
      return condition.oneOf.some((pattern) => {
        if (pattern.kind === "none") return given.length === 0;
        const text = pattern.kind === "exact" ? pattern.value : pattern.pattern;
        const spelled = condition.kind === "text" && condition.field === "method" ? text.toUpperCase() : text;
        const expression = new RegExp(
          `^${spelled.replaceAll(/[.]/g, String.raw`\.`).replaceAll("*", ".*")}$`,
        );
        return given.some((value) => expression.test(value));
      });
    }
  }
}

describe("routing", () => {
  it("is total and deterministic, and agrees with a naive reading of the rules", () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(rules, otherwise, facts, (rules, otherwise, facts) => {
        const routing = compileRules(rules, otherwise)(facts);
        const first = rules.find((rule) => facts.now <= rule.ignoreAfter! && holdsNaively(rule.when, facts));
        expect(routing).toEqual({
          then: first?.then ?? otherwise,
          rule: first?.name ?? null,
          set: first?.set ?? {},
        });
        expect(compileRules(rules, otherwise)(facts)).toEqual(routing);
        seen.add(routing.rule ?? "otherwise");
      }),
      { numRuns: 1_000 },
    );
    expect(seen.size).toBeGreaterThan(3);
  });

  it("never republishes or drops what no rule named", () => {
    fc.assert(
      fc.property(rules, otherwise, facts, (rules, otherwise, facts) => {
        const { then, rule } = compileRules(rules, otherwise)(facts);
        expect(rule !== null || then === otherwise).toBe(true);
      }),
    );
  });

  it("is explained as it was decided", () => {
    fc.assert(
      fc.property(rules, otherwise, facts, (rules, otherwise, facts) => {
        const { steps, routing } = explainRules(rules, otherwise, facts);
        expect(routing).toEqual(compileRules(rules, otherwise)(facts));
        expect(steps.map((step) => step.rule)).toEqual(rules.map((rule) => rule.name));
        expect(steps.filter((step) => step.outcome === "held").map((step) => step.rule)).toEqual(
          routing.rule === null ? [] : [routing.rule],
        );
        expect(steps.every((step) => step.why.length > 0)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("being due", () => {
  it("comes at until and not a millisecond earlier, with the attempts and headers unchanged", () => {
    const timing = fc.record({
      minAgeMs: fc.nat(10_000_000),
      waitMs: fc.array(fc.nat(10_000_000), { maxLength: 4 }),
    });
    const wish = fc.oneof(fc.nat(100_000).map(String), fc.constantFrom("1h", "junk", "99999999999999"));
    fc.assert(
      fc.property(
        timing,
        wish,
        fc.nat(6),
        fc.integer({ min: -5_000, max: 10_000_000 }),
        (timing, value, attempt, ageMs) => {
          const at = (now: number) =>
            whenDue(factsOf({ responseHeader: { "Retry-After": value } }, { now, attempt }), timing);
          const due = at(enteredAt + ageMs);
          if (due.due) return;
          expect(due.until).toBeGreaterThan(enteredAt + ageMs);
          expect(at(due.until)).toEqual({ due: true });
          expect(at(due.until - 1).due).toBe(false);
          expect(due.until - enteredAt).toBeLessThanOrEqual(86_400_000);
        },
      ),
    );
  });
});
