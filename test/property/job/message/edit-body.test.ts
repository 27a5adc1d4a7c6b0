import { describe, expect, it } from "vitest";
import { editBody } from "../../../../src/job/message/edit-body.ts";
import type { BodyChange, PatchOperation } from "../../../../src/job/message/item-changes.ts";
import { findJsonLosses, survives } from "../../../../src/job/message/json-losses.ts";
import { patchJson } from "../../../../src/job/message/json-patch.ts";
import type { JsonValue } from "../../../../src/job/message/json-value.ts";
import * as fc from "fast-check";

const keys = fc.constantFrom("a", "b", "", "0", "~/", "__proto__", "constructor", "toString", "length");
const json = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom<JsonValue>(null, true, 0, 1, 1.5, "", "text", 'q":"'),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(keys, tie("value"), { maxKeys: 4 }),
  ),
})).value;
const pointers = fc
  .array(fc.constantFrom("a", "b", "", "0", "1", "-", "01", "4294967296", "~0~1", "__proto__", "toString"), {
    maxLength: 3,
  })
  .map((tokens) => tokens.map((token) => `/${token}`).join(""));
const operations: fc.Arbitrary<PatchOperation> = fc.oneof(
  fc.record({
    op: fc.constantFrom("add" as const, "replace" as const, "test" as const),
    path: pointers,
    value: json,
  }),
  fc.record({ op: fc.constant("remove" as const), path: pointers }),
  fc.record({ op: fc.constantFrom("move" as const, "copy" as const), from: pointers, path: pointers }),
);
const changes: fc.Arbitrary<BodyChange> = fc.oneof(
  json.map((value) => ({ kind: "merge" as const, value })),
  fc.array(operations, { maxLength: 4 }).map((list) => ({ kind: "patch" as const, operations: list })),
);

describe("any edit", () => {
  it("of any text gives JSON or says that it cannot, and leaves prototypes and its own words alone", () => {
    let edits = 0;
    const texts = fc.oneof(
      json.map((value) => JSON.stringify(value, null, 1)),
      fc.string(),
      fc.json(),
    );
    fc.assert(
      fc.property(texts, changes, fc.nat({ max: 3 }), (body, change, attempt) => {
        const before = JSON.stringify(change);
        const edited = editBody(body, change, attempt);
        expect(JSON.stringify(change)).toBe(before);
        expect(editBody(body, change, attempt)).toEqual(edited);
        if (edited.kind === "park") return;
        edits++;
        expect(() => JSON.parse(edited.body) as unknown).not.toThrow();
      }),
      { numRuns: 1_000 },
    );
    expect(edits).toBeGreaterThan(200);
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  it("that is called repeatable changes nothing more when it is made twice, or does not apply again", () => {
    let repeated = 0;
    fc.assert(
      fc.property(json, fc.array(operations, { minLength: 1, maxLength: 1 }), (document, patch) => {
        const once = patchJson(document, patch);
        if (once === null || once.repeatable === "no") return;
        const twice = patchJson(once.value, patch);
        if (twice === null) return;
        repeated++;
        expect(JSON.stringify(twice.value)).toBe(JSON.stringify(once.value));
      }),
      { numRuns: 1_000 },
    );
    expect(repeated).toBeGreaterThan(50);
  });
});

/** A JSON number as mantissa × 10^exponent, exactly. */
function toExact(token: string): { mantissa: bigint; exponent: number } {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(token) ?? [];
  return { mantissa: BigInt(`${sign}${whole}${fraction}`), exponent: Number(exponent) - fraction.length };
}

/** a − b, times a power of ten; only its sign counts. */
function difference(a: string, b: string): bigint {
  const [x, y] = [toExact(a), toExact(b)];
  const least = Math.min(x.exponent, y.exponent);
  return x.mantissa * 10n ** BigInt(x.exponent - least) - y.mantissa * 10n ** BigInt(y.exponent - least);
}

const digits = (max: number) =>
  fc.string({ unit: fc.integer({ min: 0, max: 9 }).map(String), minLength: 1, maxLength: max });
const numbers = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.bigInt({ min: -(2n ** 60n), max: 2n ** 60n }).map(String),
  fc.bigInt({ min: 2n ** 53n - 5n, max: 2n ** 53n + 5n }).map(String),
  fc
    .tuple(
      fc.constantFrom("", "-"),
      fc.oneof(
        fc.constant("0"),
        digits(20).map((text) => `1${text}`),
      ),
      fc.option(digits(20), { nil: "" }),
      fc.option(fc.integer({ min: -340, max: 340 })),
    )
    .map(([sign, whole, fraction, exponent]) =>
      [sign, whole, fraction === "" ? "" : `.${fraction}`, exponent === null ? "" : `e${exponent}`].join(""),
    ),
);

describe("the scan for lost numbers", () => {
  it("agrees with exact decimal arithmetic", () => {
    const seen = { kept: 0, lost: 0 };
    fc.assert(
      fc.property(numbers, (token) => {
        const value = Number(token);
        const kept =
          Number.isFinite(value) &&
          !Object.is(value, -0) &&
          difference(token.replace(/^-/, ""), "9007199254740992") <= 0n &&
          difference(token, String(value)) === 0n;
        seen[kept ? "kept" : "lost"]++;
        expect([token, survives(token)]).toEqual([token, kept]);
      }),
      { numRuns: 3_000 },
    );
    expect(Math.min(seen.kept, seen.lost)).toBeGreaterThan(300);
  });

  it("finds each number of a text, and no digits of its strings", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string(), numbers)), (members) => {
        const text = `[${members.map(([name, number]) => `{${JSON.stringify(name)}: ${number}}`).join(" ,\n")}]`;
        const lost = members.some(([, number]) => !survives(number));
        expect(findJsonLosses(text, JSON.parse(text))).toEqual(lost ? ["body-numbers"] : []);
      }),
    );
  });
});

const object = (names: readonly string[], value: string) =>
  `{${names.map((name) => `"${name}":${value}`).join(",")}}`;
const repeats = (names: readonly string[]) =>
  new Set(names.map((name) => JSON.parse(`"${name}"`) as string)).size < names.length;

describe("the scan for duplicate keys", () => {
  it("finds them wherever they are, however they are spelled", () => {
    const names = fc.array(fc.constantFrom("a", "b", "\\u0061", "c", "__proto__"), { maxLength: 4 });
    fc.assert(
      fc.property(names, names, (outer, inner) => {
        const text = `[${object(outer, object(inner, '"a:1"'))}]`;
        const expected = repeats(outer) || (outer.length > 0 && repeats(inner));
        expect(findJsonLosses(text, JSON.parse(text))).toEqual(expected ? ["body-duplicate-keys"] : []);
      }),
      { numRuns: 500 },
    );
  });

  it("takes time in proportion to the text, however deep it is", () => {
    const deep = `${'{"a":['.repeat(150_000)}1${"]}".repeat(150_000)}`;
    expect(findJsonLosses(deep, JSON.parse(deep))).toEqual([]);
  });
});
