import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileCondition } from "../../../../src/rules/compile-condition.ts";
import { covers } from "../../../../src/rules/lint/covers.ts";
import type { Condition } from "../../../../src/rules/spec.ts";
import { toSubject } from "../../../../src/rules/subject.ts";
import { conditions, recordFacts } from "../../../support/arbitrary-rules.ts";

const plenty = () => ({ left: 1_000_000 });

describe("a rule that covers another", () => {
  it("holds wherever the other does", () => {
    let proved = 0;
    let witnessed = 0;
    fc.assert(
      fc.property(
        conditions,
        conditions,
        fc.array(recordFacts, { minLength: 5, maxLength: 5 }),
        (earlier, later, records) => {
          if (!covers(earlier, later, plenty())) return;
          proved += 1;
          const [wide, narrow] = [compileCondition(earlier), compileCondition(later)];
          for (const facts of records) {
            if (!narrow(toSubject(facts))) continue;
            witnessed += 1;
            expect(wide(toSubject(facts))).toBe(true);
          }
        },
      ),
      { numRuns: 5_000 },
    );
    expect(proved).toBeGreaterThan(100);
    expect(witnessed).toBeGreaterThan(100);
  });

  it("is itself at least", () => {
    fc.assert(
      fc.property(conditions, (condition) => {
        expect(covers(condition, condition, plenty())).toBe(true);
      }),
    );
  });

  it("is not looked for any longer than the budget lasts", () => {
    const list: Condition = {
      kind: "some",
      of: Array.from({ length: 1_000 }, (_, index) => ({
        kind: "text",
        field: "host",
        oneOf: [{ kind: "regex", source: `${"a".repeat(index % 200)}b` }],
      })),
    };
    const later: Condition = { kind: "text", field: "host", oneOf: [{ kind: "exact", value: "c" }] };
    const budget = { left: 50_000 };
    const before = performance.now();
    expect(covers(list, later, budget)).toBe(false);
    expect(performance.now() - before).toBeLessThan(4_000);
    expect(budget.left).toBeLessThanOrEqual(0);
  });
});
