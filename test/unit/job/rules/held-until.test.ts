import { describe, expect, it } from "vitest";
import { compileRules } from "../../../../src/job/rules/compile-rules.ts";
import type { Condition, RuleSpec } from "../../../../src/job/rules/rule-spec.ts";
import { duration, number, rule, text, value } from "../../../support/conditions.ts";
import { enteredAt, factsOf } from "../../../support/letters.ts";

const hour = 3_600_000;
const expiresAt = enteredAt + 72 * hour;
const rootCreatedAt = enteredAt - hour;

/** Of a record with status 503 that entered just now. */
function heldUntil(rules: readonly RuleSpec[]) {
  const facts = factsOf({ responseStatus: 503 }, { now: enteredAt, rootCreatedAt, expiresAt });
  const route = compileRules(rules, "hold");
  expect(route(facts).then).toBe("hold");
  return route.heldUntil(facts);
}

const all = (...of: readonly Condition[]): Condition => ({ kind: "all", of });
const old = duration("age", ">= 2h");

describe("a record that rules hold", () => {
  // test/property holds it against every moment at which time may turn anything.
  it.each<[Condition, number | null]>([
    [duration("age", "> 2h"), enteredAt + 2 * hour + 1],
    [duration("messageAge", ">= 2h"), enteredAt + hour],
    [duration("timeLeft", "<= 12h"), expiresAt - 12 * hour],
    [{ kind: "not", of: duration("age", "<= 1h") }, enteredAt + hour + 1],
    [all(number("responseStatus", 422), old), null],
    [all(value("body", "/order", 1), old), enteredAt + 2 * hour],
  ])("by otherwise is decided otherwise when the rule comes to hold: %#", (condition, moment) => {
    expect(heldUntil([rule("r", condition)])).toBe(moment);
  });

  it("by a rule is decided otherwise when that rule ends, by age or by its date", () => {
    const young = rule("young", duration("age", "< 1h"), { then: "hold" });
    const republish = rule("go", { kind: "any" });
    expect(heldUntil([young, republish])).toBe(enteredAt + hour);
    expect(heldUntil([{ ...young, ignoreAfter: enteredAt + 10 }, republish])).toBe(enteredAt + 11);
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
