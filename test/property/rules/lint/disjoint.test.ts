import type { JsonValue } from "../../../../src/message/json-value.ts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  compileAddresses,
  compileNumbers,
  compileTexts,
  compileValues,
} from "../../../../src/rules/patterns/compile-patterns.ts";
import type { Leaf } from "../../../../src/rules/lint/covers.ts";
import { areDisjoint } from "../../../../src/rules/lint/disjoint.ts";
import { parseIpAddress } from "../../../../src/rules/patterns/ip-address.ts";
import { judgeCondition } from "../../../../src/rules/lint/never-holds.ts";
import type {
  AddressPattern,
  NumberPattern,
  TextField,
  TextPattern,
  ValuePattern,
} from "../../../../src/rules/spec.ts";

/**
 * Two tests of one field against every value of a small world, so that whatever is proved disjoint by mistake has its
 * counterexample in it.
 */
const plenty = () => ({ left: 1_000_000 });
const list = <Pattern>(pattern: fc.Arbitrary<Pattern>) => fc.array(pattern, { minLength: 1, maxLength: 2 });
const presence = fc.constantFrom<{ kind: "some" } | { kind: "none" }>({ kind: "some" }, { kind: "none" });

const word = fc.constantFrom("a", "b", "B", "ab", "ba", "a:1", "ab:81", ":81", "81", "1");
const matching = fc.oneof(
  word.map((value) => ({ kind: "exact", value }) as const),
  word.map((value) => ({ kind: "prefix", value }) as const),
  word.map((value) => ({ kind: "suffix", value }) as const),
  fc
    .constantFrom("*", "a*", "*b", "*a*", "a*b", "b*1", "*:81", "*:*")
    .map((pattern) => ({ kind: "glob", pattern }) as const),
  fc.constantFrom("a", "^a", "b$", "1$").map((source) => ({ kind: "regex", source }) as const),
);
const texts: fc.Arbitrary<readonly TextPattern[]> = list(
  fc.oneof({ weight: 8, arbitrary: matching }, presence),
);
const single = [
  [],
  ...["a", "b", "ab", "ba", "aba", "a:1", "ab:81", "b1", "81", "c"].map((value) => [value]),
];
const hosts = [
  [],
  ...["a", "b", "ab", "ba", "aa"].flatMap((name) => [
    [name],
    ...["1", "8", "81"].map((port) => [name, `${name}:${port}`]),
  ]),
];
const many = [...single, ...single.flatMap((one) => single.map((other) => [...one, ...other]))];

const bound = fc.constantFrom(-Infinity, 0, 1, 2, 3, 4, Infinity);
const range = fc
  .tuple(fc.constantFrom(-Infinity, 0, 1, 2, 3, 4), fc.constantFrom(0, 1, 2, 3, 4, Infinity))
  .filter(([from, to]) => from <= to)
  .map(([from, to]): NumberPattern => ({ kind: "range", from, to }));
const numbers: fc.Arbitrary<readonly NumberPattern[]> = list(
  fc.oneof({ weight: 5, arbitrary: range }, presence as fc.Arbitrary<NumberPattern>),
);

const addresses: fc.Arbitrary<readonly AddressPattern[]> = list(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc
        .tuple(
          fc.constantFrom("10.0.0.0", "10.1.0.0", "10.1.2.0", "11.0.0.0"),
          fc.constantFrom(0, 8, 16, 24, 32),
        )
        .map(([address, bits]): AddressPattern => ({ kind: "network", address, bits })),
    },
    fc.constant<AddressPattern>({ kind: "network", address: "2001:db8::", bits: 32 }),
    presence as fc.Arbitrary<AddressPattern>,
  ),
);
const callers = [
  undefined,
  null,
  "10.0.0.0",
  "10.0.9.9",
  "10.1.0.0",
  "10.1.2.0",
  "10.1.2.9",
  "11.0.0.0",
  "::1",
].concat("2001:db8::7");

const values: fc.Arbitrary<readonly ValuePattern[]> = list(
  fc.oneof(
    matching.map((pattern): ValuePattern => ({ kind: "text", pattern })),
    fc
      .tuple(bound, bound, fc.boolean(), fc.boolean())
      .map(([one, other, openFrom, openTo]): ValuePattern => ({
        kind: "number",
        from: Math.min(one, other),
        to: Math.max(one, other),
        openFrom,
        openTo,
      })),
    fc.constantFrom<ValuePattern>(
      { kind: "literal", value: true },
      { kind: "literal", value: false },
      { kind: "literal", value: null },
    ),
    presence as fc.Arbitrary<ValuePattern>,
  ),
);
const jsons: readonly (JsonValue | undefined)[] = [
  undefined,
  null,
  true,
  false,
  [],
  ...single.flat(),
  0,
  0.5,
  1,
  1.5,
  2,
  3,
  4,
  5,
];

/** Holds whatever is said to be disjoint against the world; answers how much was said, and how much was not that could have been. */
function hold<Pattern, Value>(
  patterns: fc.Arbitrary<readonly Pattern[]>,
  world: readonly Value[],
  toLeaf: (oneOf: readonly Pattern[]) => Leaf,
  compile: (oneOf: readonly Pattern[]) => (value: Value) => boolean,
): { readonly proved: number; readonly missed: number } {
  let [proved, missed] = [0, 0];
  fc.assert(
    fc.property(patterns, patterns, (one, other) => {
      const [first, second] = [compile(one), compile(other)];
      const common = world.filter((value) => first(value) && second(value));
      const isProved = areDisjoint(toLeaf(one), toLeaf(other), plenty());
      if (isProved) proved += 1;
      else if (common.length === 0) missed += 1;
      expect(isProved ? common : []).toEqual([]);
    }),
    { numRuns: 5_000 },
  );
  return { proved, missed };
}

const textLeaf =
  (field: TextField) =>
  (oneOf: readonly TextPattern[]): Leaf => ({ kind: "text", field, oneOf });

const numberLeaf = (oneOf: readonly NumberPattern[]): Leaf => ({ kind: "number", field: "attempt", oneOf });
const addressLeaf = (oneOf: readonly AddressPattern[]): Leaf => ({
  kind: "address",
  field: "callerIp",
  oneOf,
});
const valueLeaf = (oneOf: readonly ValuePattern[]): Leaf => ({
  kind: "value",
  field: "body",
  pointer: "/a",
  oneOf,
});

describe("two tests of one field that are said to exclude each other", () => {
  it.each([
    { field: "topicName", world: single },
    { field: "host", world: hosts },
    { field: "label", world: many },
  ] as const)("leave no value of $field", ({ field, world }) => {
    const { proved } = hold(texts, world, textLeaf(field), (oneOf) => compileTexts(oneOf, field));
    expect(proved).toBeGreaterThan(200);
  });

  it("leave no values of a header", () => {
    const { proved } = hold(
      texts,
      many,
      (oneOf): Leaf => ({ kind: "header", of: "request", name: "X-A", oneOf }),
      (oneOf) => compileTexts(oneOf),
    );
    expect(proved).toBeGreaterThan(200);
  });

  it("leave no number, and are found wherever there is none", () => {
    const world = [undefined, -1, 0, 1, 2, 3, 4, 5];
    const { proved, missed } = hold(numbers, world, numberLeaf, compileNumbers);
    expect(proved).toBeGreaterThan(500);
    expect(missed).toBe(0);
  });

  it("leave no address, and are found wherever there is none", () => {
    const world = callers.map((text) => (typeof text === "string" ? parseIpAddress(text) : text));
    const { proved, missed } = hold(addresses, world, addressLeaf, compileAddresses);
    expect(proved).toBeGreaterThan(500);
    expect(missed).toBe(0);
  });

  it("leave no value inside JSON", () => {
    const { proved } = hold(values, jsons, valueLeaf, compileValues);
    expect(proved).toBeGreaterThan(500);
  });

  it("leave no age at which a record has that much time left", () => {
    const retentionMs = 3;
    let proved = 0;
    fc.assert(
      fc.property(numbers, numbers, (age, timeLeft) => {
        const of: readonly Leaf[] = [
          { kind: "duration", field: "age", oneOf: age },
          { kind: "duration", field: "timeLeft", oneOf: timeLeft },
        ];
        const { never } = judgeCondition({ kind: "all", of }, { retentionMs }, plenty());
        const [isAge, isLeft] = [compileNumbers(age), compileNumbers(timeLeft)];
        const common = [-1, 0, 1, 2, 3, 4, 5].filter((ms) => isAge(ms) && isLeft(retentionMs - ms));
        if (never) proved += 1;
        expect(never ? common : []).toEqual([]);
      }),
      { numRuns: 3_000 },
    );
    expect(proved).toBeGreaterThan(500);
  });
});
