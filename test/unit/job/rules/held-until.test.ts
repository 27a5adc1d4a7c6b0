import { describe, expect, it } from "vitest";
import { compileRules } from "../../../../src/job/rules/compile-rules.ts";
import type { Condition, RuleSpec } from "../../../../src/job/rules/rule-spec.ts";
import { duration, number, rule, text, value } from "../../../support/conditions.ts";
import { enteredAt, factsOf } from "../../../support/letters.ts";

const hour = 3_600_000;
const expiresAt = enteredAt + 72 * hour;
const rootCreatedAt = enteredAt - hour;

/** Of a record with status 503 that entered just now. */
function heldUntil(rules: readonly RuleSpec[], otherwise: "hold" | "park" = "hold", now = enteredAt) {
  const facts = factsOf({ responseStatus: 503 }, { now, rootCreatedAt, expiresAt });
  const route = compileRules(rules, otherwise);
  expect(route(facts).then).toBe("hold");
  return route.heldUntil(facts);
}

const all = (...of: readonly Condition[]): Condition => ({ kind: "all", of });
const some = (...of: readonly Condition[]): Condition => ({ kind: "some", of });
const not = (of: Condition): Condition => ({ kind: "not", of });
const is503 = number("responseStatus", 503);
const is422 = number("responseStatus", 422);
const any: Condition = { kind: "any" };
const old = duration("age", ">= 2h");

const young = (more: Partial<RuleSpec>): RuleSpec =>
  rule("young", duration("age", "< 1h"), { then: "hold", ...more });

describe("a record that rules hold", () => {
  it.each<[Condition, number | null]>([
    [duration("age", "> 2h"), enteredAt + 2 * hour + 1],
    [old, enteredAt + 2 * hour],
    [duration("messageAge", ">= 2h"), enteredAt + hour],
    [duration("timeLeft", "<= 12h"), expiresAt - 12 * hour],
    [duration("timeLeft", "1h-12h"), expiresAt - 12 * hour],
    [duration("timeLeft", "< 12h"), expiresAt - 12 * hour + 1],
    [not(duration("age", "<= 1h")), enteredAt + hour + 1],
    [all(duration("age", "> 5h"), duration("timeLeft", "<= 71h")), enteredAt + 5 * hour + 1],
    [all(duration("age", "<= 1h"), duration("messageAge", "> 3h")), null],
    [duration("messageAge", "< 1h"), null],
    [all(is503, old), enteredAt + 2 * hour],
    [all(is422, old), null],
    [some(is422, old), enteredAt + 2 * hour],
    [not(some(is503, old)), null],
    [not(all(is503, duration("age", "<= 1h"))), enteredAt + hour + 1],
    [all(old, not(any)), null],
    [all(value("body", "/order", 2), old), null],
    [all(value("body", "/order", 1), old), enteredAt + 2 * hour],
  ])("by otherwise is decided otherwise when the rule comes to hold: %#", (condition, moment) => {
    expect(heldUntil([rule("r", condition)])).toBe(moment);
  });

  it("by a rule is decided otherwise when that rule ends, by age or by its date", () => {
    const republish = rule("go", any);
    expect(heldUntil([young({}), republish])).toBe(enteredAt + hour);
    expect(heldUntil([young({ ignoreAfter: enteredAt + 10 }), republish])).toBe(enteredAt + 11);
    expect(heldUntil([young({}), rule("go", is422)], "park")).toBe(enteredAt + hour);
    expect(heldUntil([young({}), rule("go", is422)])).toBeNull();
  });

  it("is not promised what a rule above keeps from it", () => {
    const always = rule("always", is503, { then: "hold" });
    expect(heldUntil([always, rule("old", old)])).toBeNull();
    // Until the date at which that one is taken out.
    const until = enteredAt + 5 * hour;
    expect(heldUntil([{ ...always, ignoreAfter: until }, rule("old", old)])).toBe(until + 1);
    // Held by one rule first and by another then.
    expect(
      heldUntil([rule("a", duration("age", "< 1h"), { then: "hold" }), rule("b", any, { then: "hold" })]),
    ).toBeNull();
  });

  it("is not promised what an expired rule would have said", () => {
    expect(heldUntil([rule("old", old, { ignoreAfter: enteredAt - 1 })])).toBeNull();
    expect(heldUntil([rule("old", old, { ignoreAfter: enteredAt + hour })])).toBeNull();
  });

  it("is asked again early where a document has more ages than anybody writes", () => {
    const ranges = Array.from({ length: 2_000 }, (_, index) => {
      const from = 1_000 + index * 10;
      return { kind: "range", from, to: from } as const;
    });
    const strange = rule("held", { kind: "duration", field: "age", oneOf: ranges }, { then: "hold" });
    const moment = heldUntil([strange, rule("old", all(old, text("host", "api.example.com")))]);
    expect(moment).toBeGreaterThan(enteredAt + 1_000);
    expect(moment).toBeLessThan(enteredAt + 20_000);
  });
});
