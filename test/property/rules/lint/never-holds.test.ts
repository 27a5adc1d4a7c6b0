import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileCondition } from "../../../../src/rules/compile-condition.ts";
import { judgeCondition, oldestAge, type Contradiction } from "../../../../src/rules/lint/never-holds.ts";
import type { Condition, TextPattern } from "../../../../src/rules/spec.ts";
import { toSubject } from "../../../../src/rules/subject.ts";
import { conditions, recordFacts } from "../../../support/arbitrary-rules.ts";

const plenty = () => ({ left: 1_000_000 });
/** As factsOf has it. */
const retentionMs = 259_200_000;

/** The same condition over few fields, so that its parts often ask for the same one. */
function narrowed(condition: Condition): Condition {
  switch (condition.kind) {
    case "all":
    case "some":
      return { ...condition, of: condition.of.map(narrowed) };
    case "not":
      return { kind: "not", of: narrowed(condition.of) };
    case "text": {
      const fields = ["host", "host", "path", "label", "topicName", "method"] as const;
      const field = fields[condition.field.length % fields.length] ?? "host";
      return { ...condition, field, oneOf: field === "host" ? condition.oneOf.map(toPort) : condition.oneOf };
    }
    case "header":
      return { ...condition, of: "request", name: "x-A" };
    case "number":
      return { ...condition, field: condition.field === "createdAt" ? "attempt" : "responseStatus" };
    case "duration":
      return { ...condition, field: condition.field === "messageAge" ? "age" : condition.field };
    case "value":
      return { ...condition, field: "body", pointer: condition.pointer === "/l/1" ? "/l/1" : "/a" };
    case "any":
    case "address":
      return condition;
  }
}

/** Of the words, one with a port; a record has it. */
function toPort(pattern: TextPattern): TextPattern {
  return "value" in pattern && pattern.value === "GET" ? { ...pattern, value: "ab:81" } : pattern;
}

const crowded = fc
  .array(conditions.map(narrowed), { minLength: 1, maxLength: 4 })
  .map((of): Condition => ({ kind: "all", of }));

/** An answer that HTTP does not know is no answer of HTTP. */
const records = fc.array(
  recordFacts.filter(({ letter: { responseStatus = 100 } }) => responseStatus >= 100),
  { minLength: 20, maxLength: 20 },
);

describe("a condition that is said never to hold", () => {
  // One run for both, because making the records takes longer than looking at them.
  it("holds for no record, nor does what is said to exclude each other; no other is older than its oldest age", () => {
    let proved = 0;
    let alive = 0;
    let limited = 0;
    const kinds = new Map<string, number>();
    fc.assert(
      fc.property(crowded, records, (condition, facts) => {
        const { never, contradictions } = judgeCondition(condition, { retentionMs }, plenty());
        const holds = compileCondition(condition);
        const held = facts.filter((one) => holds(toSubject(one)));
        if (never) proved += 1;
        alive += held.length;
        expect(never ? held.length : 0).toBe(0);
        expect(never ? contradictions.length + countEmpty(condition) : 1).toBeGreaterThan(0);
        for (const one of contradictions) {
          kinds.set(one.kind, (kinds.get(one.kind) ?? 0) + 1);
          const holdsDead = compileCondition(deadPartOf(one));
          expect(facts.filter((fact) => holdsDead(toSubject(fact)))).toEqual([]);
        }
        const oldest = oldestAge(condition, retentionMs);
        if (Number.isFinite(oldest)) limited += held.length;
        for (const one of held) expect(one.now - one.letter.enteredAt).toBeLessThanOrEqual(oldest);
      }),
      { numRuns: 5_000 },
    );
    expect(proved).toBeGreaterThan(500);
    expect(alive).toBeGreaterThan(500);
    expect(limited).toBeGreaterThan(80);
    expect([...kinds.keys()].toSorted()).toEqual(["disjoint", "excluded", "impossible"]);
  });

  it("is not looked for any longer than the budget lasts", () => {
    const budget = { left: 50_000 };
    const judged = judgeCondition({ kind: "all", of: [texts("a"), texts("b")] }, { retentionMs }, budget);
    expect(judged).toEqual({ never: false, contradictions: [] });
    expect(budget.left).toBeLessThanOrEqual(0);
  });
});

const texts = (mark: string): Condition => ({
  kind: "text",
  field: "url",
  oneOf: Array.from({ length: 1_000 }, (_, index) => ({ kind: "prefix", value: `${mark}${index}` })),
});

/** What a contradiction says of records by itself, whatever stands around it; nothing is an alternative without members. */
function deadPartOf(one: Contradiction): Condition {
  if (one.kind === "disjoint") return { kind: "all", of: [one.at, one.beside] };
  return one.kind === "impossible" && one.whole ? one.at : { kind: "some", of: [] };
}

/** Lists without members, which no document has: they never hold, and there is nothing to say of them. */
function countEmpty(condition: Condition): number {
  switch (condition.kind) {
    case "any":
      return 0;
    case "all":
      return condition.of.reduce((sum, inner) => sum + countEmpty(inner), 0);
    case "some":
      return condition.of.length === 0 ? 1 : condition.of.reduce((sum, inner) => sum + countEmpty(inner), 0);
    case "not":
      return countEmpty(condition.of);
    case "text":
    case "header":
    case "number":
    case "duration":
    case "address":
    case "value":
      return condition.oneOf.length === 0 ? 1 : 0;
  }
}
