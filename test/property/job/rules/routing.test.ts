import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileRules } from "../../../../src/job/rules/compile-rules.ts";
import { whenDue } from "../../../../src/job/rules/when-due.ts";
import { conditions, ruleLists as rules, recordFacts as facts } from "../../../support/arbitrary-rules.ts";
import { enteredAt, factsOf } from "../../../support/letters.ts";
import { holdsNaively } from "../../../support/naive-rules.ts";

const otherwise = fc.constantFrom("hold" as const, "park" as const);

describe("routing", () => {
  it("holds a condition for a record as a naive reading of it does", () => {
    fc.assert(
      fc.property(conditions, facts, (when, facts) => {
        const route = compileRules([{ name: "r", when, then: "drop" }], "hold");
        expect(route(facts).rule === "r").toBe(holdsNaively(when, facts));
      }),
      { numRuns: 4_000 },
    );
  });

  it("is total and deterministic, and agrees with a naive reading of the rules", () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(rules, otherwise, facts, (rules, otherwise, facts) => {
        const routing = compileRules(rules, otherwise)(facts);
        const first = rules.find((rule) => facts.now <= rule.ignoreAfter && holdsNaively(rule.when, facts));
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
          if (due.due || due.until === undefined) return;
          expect(due.until).toBeGreaterThan(enteredAt + ageMs);
          expect(at(due.until)).toEqual({ due: true });
          expect(at(due.until - 1).due).toBe(false);
          expect(due.until - enteredAt).toBeLessThanOrEqual(86_400_000);
        },
      ),
    );
  });
});
