import * as fc from "fast-check";
import { describe, it } from "vitest";
import { numberTextAt } from "../../../../src/job/message/json-losses.ts";
import { loadWhen } from "../../../support/decide-by-document.ts";

const compare = {
  "<": (a: bigint, b: bigint) => a < b,
  "<=": (a: bigint, b: bigint) => a <= b,
  ">": (a: bigint, b: bigint) => a > b,
  ">=": (a: bigint, b: bigint) => a >= b,
};
const bounds = fc.oneof(
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }),
  fc.bigInt({ min: 2n ** 53n - 3n, max: 2n ** 53n + 3n }),
  fc.bigInt({ min: -9n, max: 9n }),
);

describe("a comparison of whole numbers", () => {
  it("is theirs, however many digits they have, in bodies and headers", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...(Object.keys(compare) as (keyof typeof compare)[])),
        bounds,
        fc.array(fc.bigInt({ min: -2n, max: 2n }), { minLength: 1, maxLength: 5 }),
        (operator, bound, distances) => {
          const test = JSON.stringify(`${operator} ${bound}`);
          const inBody = loadWhen(`{ body: { /a/0: ${test} } }`);
          const inHeader = loadWhen(`{ header: { X-N: ${test} } }`);
          return distances.every((distance) => {
            const number = bound + distance;
            const expected = compare[operator](number, bound);
            return (
              inBody.matches({ body: `{"b":"${bound}","a":[${number},7]}` }) === expected &&
              inHeader.matches({ header: { "x-n": [String(number)] } }) === expected
            );
          });
        },
      ),
      { numRuns: 150 },
    );
  });
});

describe("the text of a number", () => {
  it("is found where JSON.parse finds its value", () => {
    const scalars = fc.oneof(
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.constant("1,[{"),
    );
    const { value: values } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        scalars,
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom("a", "b", '"', "0"), tie("value"), { maxKeys: 3 }),
      ),
    }));
    fc.assert(
      fc.property(
        values,
        fc.array(fc.constantFrom("a", "b", '"', "0", "1", "2"), { maxLength: 4 }),
        fc.nat(2),
        (value, names, space) => {
          const text = JSON.stringify(value, null, space);
          let at: unknown = JSON.parse(text);
          for (const name of names) {
            const isThere = typeof at === "object" && at !== null && Object.hasOwn(at, name);
            at = isThere ? (at as Record<string, unknown>)[name] : undefined;
          }
          const found = numberTextAt(text, names);
          return typeof at === "number" ? Object.is(Number(found), at) && found !== null : found === null;
        },
      ),
      { numRuns: 3_000 },
    );
  });
});
