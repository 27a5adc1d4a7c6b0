import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileRules } from "../../../../src/job/rules/compile-rules.ts";
import type { RecordFacts } from "../../../../src/job/rules/record-facts.ts";
import type { Condition, RuleSpec } from "../../../../src/job/rules/rule-spec.ts";
import { conditions, recordFacts } from "../../../support/arbitrary-rules.ts";
import { casesOf } from "../../../support/fuzzing.ts";
import { enteredAt, factsOf } from "../../../support/letters.ts";
import { holdsNaively } from "../../../support/naive-rules.ts";

/** Small spans beside those of the shared arbitrary, so that several turn one after the other. */
const edges = fc.oneof(
  fc.integer({ min: -10, max: 4_000_100 }),
  fc.constantFrom(-Infinity, Infinity, 0, 60_000, 3_600_000),
);
const durations: fc.Arbitrary<Condition> = fc.record({
  kind: fc.constant("duration" as const),
  field: fc.constantFrom("age" as const, "messageAge" as const, "timeLeft" as const),
  oneOf: fc.array(
    fc.tuple(edges, edges).map(([a, b]) => ({
      kind: "range" as const,
      from: Math.min(a, b),
      to: Math.max(a, b),
    })),
    { minLength: 1, maxLength: 2 },
  ),
});
const timed = fc.oneof(
  { weight: 3, arbitrary: durations },
  { weight: 2, arbitrary: conditions },
  fc
    .tuple(
      fc.constantFrom("all" as const, "some" as const),
      fc.array(fc.oneof(durations, conditions), { maxLength: 3 }),
    )
    .map(([kind, of]): Condition => ({ kind, of })),
  fc.array(durations, { maxLength: 2 }).map((of): Condition => ({ kind: "not", of: { kind: "all", of } })),
);

const rules: fc.Arbitrary<readonly RuleSpec[]> = fc
  .array(
    fc.record(
      {
        when: timed,
        then: fc.constantFrom("republish" as const, "hold" as const, "hold" as const, "park" as const),
        ignoreAfter: fc.integer({ min: enteredAt - 1_000, max: enteredAt + 5_000_000 }),
      },
      { requiredKeys: ["when", "then"] },
    ),
    { maxLength: 6 },
  )
  .map((list) => list.map((one, index) => ({ ...one, name: `rule ${index}` })));

/** Every moment at which anything that asks for time may turn, found without regard to what it belongs to. */
function momentsOf(rules: readonly RuleSpec[], { letter, rootCreatedAt, expiresAt }: RecordFacts) {
  const spans: number[] = [];
  const collect = (condition: Condition): void => {
    if (condition.kind === "all" || condition.kind === "some") condition.of.forEach(collect);
    if (condition.kind === "not") collect(condition.of);
    if (condition.kind !== "duration") return;
    for (const pattern of condition.oneOf) if (pattern.kind === "range") spans.push(pattern.from, pattern.to);
  };
  for (const { when } of rules) collect(when);
  return [
    ...spans.flatMap((span) => [letter.enteredAt + span, rootCreatedAt + span, expiresAt - span]),
    ...rules.flatMap(({ ignoreAfter }) => ignoreAfter ?? []),
  ]
    .filter(Number.isFinite)
    .flatMap((at) => [at - 1, at, at + 1]);
}

describe("until when the rules hold a record", () => {
  it("is the first moment at which time alone makes them say something else, and none where it never does", () => {
    const seen = { never: 0, later: 0, beyondTheFirstTurn: 0 };
    fc.assert(
      fc.property(
        rules,
        fc.constantFrom("hold" as const, "park" as const),
        recordFacts,
        (rules, otherwise, facts) => {
          const route = compileRules(rules, otherwise);
          const saysAt = (now: number) =>
            rules.find(
              (one) => now <= (one.ignoreAfter ?? Infinity) && holdsNaively(one.when, { ...facts, now }),
            )?.then ?? otherwise;
          fc.pre(route(facts).then === "hold");
          const until = route.heldUntil(facts);
          const moments = momentsOf(rules, facts).filter((at) => at > facts.now);
          const before = moments.filter((at) => until === null || at < until);
          expect(before.map(saysAt)).toEqual(before.map(() => "hold"));
          if (until === null) {
            seen.never += 1;
            return;
          }
          seen.later += 1;
          if (before.length > 2) seen.beyondTheFirstTurn += 1;
          expect(until).toBeGreaterThan(facts.now);
          expect(saysAt(until - 1)).toBe("hold");
          expect(saysAt(until)).not.toBe("hold");
          expect(route({ ...facts, now: until }).then).toBe(saysAt(until));
        },
      ),
      { numRuns: casesOf(3_000) },
    );
    // A property that nothing ever reached would hold too.
    for (const times of Object.values(seen)) expect(times).toBeGreaterThan(casesOf(3_000) / 30);
  });

  it("comes early where a document has more ages than anybody writes", () => {
    const oneOf = Array.from({ length: 2_000 }, (_, index) => {
      const at = 1_000 + index * 10;
      return { kind: "range", from: at, to: at } as const;
    });
    const held: RuleSpec = { name: "held", when: { kind: "duration", field: "age", oneOf }, then: "hold" };
    const later: RuleSpec = {
      name: "old",
      when: { kind: "duration", field: "age", oneOf: [{ kind: "range", from: 7_200_000, to: Infinity }] },
      then: "republish",
    };
    const until = compileRules([held, later], "hold").heldUntil(factsOf({}, { now: enteredAt }));
    expect(until).toBeGreaterThan(enteredAt + 1_000);
    expect(until).toBeLessThan(enteredAt + 20_000);
  });
});
