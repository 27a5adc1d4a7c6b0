import * as fc from "fast-check";
import { expect, it } from "vitest";
import { createNewest } from "../../../../src/job/page/newest.ts";
import { compileRules } from "../../../../src/job/rules/compile-rules.ts";
import type { RuleSpec } from "../../../../src/job/rules/rule-spec.ts";
import { Subject } from "../../../../src/job/rules/subject.ts";
import { dlqIdOf, enteredAt, factsOf, letterOf } from "../../../support/letters.ts";

const leaf = (pointer: string | null): RuleSpec["when"] => {
  return { kind: "superseded", field: "superseded", pointer, oneOf: [{ kind: "some" }] };
};

/** Body, and what it is compared by: null if by nothing. Numbers that are equal are written in several ways. */
const bodies = fc.constantFrom<readonly [string, string | null]>(
  ['{"o":{"id":"1"}}', "text 1"],
  ['{"o":{"id":"true"}}', "text true"],
  ['{"o":{"id":true}}', "true"],
  ['{"o":{"id":1}}', "1"],
  ['{"o":{"id":1.0}}', "1"],
  ['{"o":{"id":10e-1},"n":12345678901234567890}', "1"],
  ['{"o":{"id":9007199254740993}}', "…993"],
  ['{"o":{"id":9007199254740992}}', "…992"],
  ['{"o":{"id":0.1,"id":9007199254740992}}', "…992"],
  ['{"o":{"id":null}}', null],
  ['{"o":{"id":[1]}}', null],
  ['{"o":{"id":{"id":1}}}', null],
  ['{"id":1}', null],
  ["REDACTED:0000", null],
  ["", null],
);
const letters = fc.uniqueArray(
  fc.record({
    ms: fc.integer({ min: enteredAt, max: enteredAt + 9 }),
    counter: fc.integer({ min: 0, max: 12 }),
    body: bodies,
    scheduleId: fc.constantFrom("", "a", "b"),
  }),
  { selector: ({ ms, counter }) => `${ms}-${counter}`, maxLength: 60 },
);

it("exactly the newest of each value is due, in any order of listing; what has no value always is", () => {
  let dropped = 0;
  fc.assert(
    fc.property(
      letters,
      fc.constantFrom<string | null>(null, "/o/id"),
      fc.infiniteStream(fc.nat()),
      (all, pointer, draws) => {
        const route = compileRules([{ name: "newest", when: leaf(pointer), then: "drop" }], "hold");
        const newest = createNewest(1_000);
        const facts = all.map(({ ms, counter, body: [body], scheduleId }) =>
          factsOf({ dlqId: `${ms}-${counter}`, enteredAt: ms, body, scheduleId }),
        );
        const shuffled = facts
          .map((one) => ({ one, draw: draws.next().value as number }))
          .toSorted((a, b) => a.draw - b.draw);
        for (const { one } of shuffled) {
          newest.add(one.letter.dlqId, pointer, new Subject(one).compared(pointer));
        }
        const valueOf = ({ body: [, value], scheduleId }: (typeof all)[number]) =>
          pointer === null ? scheduleId || null : value;
        for (const [index, one] of all.entries()) {
          const same = all.filter((other) => valueOf(other) !== null && valueOf(other) === valueOf(one));
          const last = same.toSorted((a, b) => a.ms - b.ms || a.counter - b.counter).at(-1);
          const known = { ...facts[index]!, newer: newest.find };
          const isNewest = last === undefined || last === one;
          expect(route(known).then).toBe(isNewest ? "hold" : "drop");
          const by = isNewest ? null : `${last.ms}-${last.counter}`;
          expect(route.supersededBy(known, route(known).rule)).toBe(by);
          if (!isNewest) dropped += 1;
        }
      },
    ),
    { numRuns: 300 },
  );
  expect(dropped).toBeGreaterThan(100);
});

it("a value beyond the bound supersedes nothing, and values within it stay exact", () => {
  const newest = createNewest(2);
  for (const [index, value] of ["a", "b", "c", "a", "c", "b"].entries())
    newest.add(dlqIdOf(`1-${index}`), null, value);
  const found = ["a", "b", "c"].map((value) => newest.find(dlqIdOf("1-0"), null, value));
  expect(found).toEqual(["1-3", "1-5", null]);
  expect(newest.unknown()).toBe(2);
  expect(newest.find(dlqIdOf("1-9"), null, "a")).toBeNull();
  expect(newest.find(dlqIdOf("1-0"), "/a", "a")).toBeNull();
});

it("what is not known counts only if a rule's answer rests on it", () => {
  const rules: readonly RuleSpec[] = [
    { name: "over", when: { kind: "any" }, then: "hold" },
    { name: "newest", when: leaf(null), then: "drop" },
  ];
  const facts = factsOf(letterOf({ scheduleId: "a" }) as never);
  const rests = (some: readonly RuleSpec[]) => {
    const route = compileRules(some, "hold");
    return route.restsOnNewer(facts, route(facts));
  };
  expect(rests(rules)).toBe(false);
  expect(rests(rules.toReversed())).toBe(true);
  expect(rests([{ name: "kept", when: { kind: "not", of: leaf("/id") }, then: "republish" }])).toBe(true);
});
