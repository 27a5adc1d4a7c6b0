import type { PatchOperation } from "../../../../src/job/message/item-changes.ts";
import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../../../src/job/message/json-value.ts";
import { patchJson } from "../../../../src/job/message/json-patch.ts";

const patchedOf = (document: unknown, ...operations: PatchOperation[]) => {
  const result = patchJson(document, operations);
  return result === null ? "not-applicable" : JSON.stringify(result.value);
};
const replace = (path: string, value: JsonValue) => ({ op: "replace", path, value }) as const;
const copy = (from: string, path: string) => ({ op: "copy", from, path }) as const;

it.each<[string, unknown, readonly PatchOperation[], string]>([
  ["copies by value", { a: { b: 1 } }, [copy("/a", "/c"), replace("/c/b", 2)], '{"a":{"b":1},"c":{"b":2}}'],
  ["keeps __proto__", JSON.parse('{"__proto__":{},"b":1}'), [replace("/b", 2)], '{"__proto__":{},"b":2}'],
])("a JSON patch does what RFC 6902 says: %s", (_name, document, operations, result) => {
  expect(patchedOf(document, ...operations)).toBe(result);
});

it.each<[string, unknown, PatchOperation]>([
  ["an index that wraps around to 0", { a: [1, 2] }, { op: "add", path: "/a/4294967296", value: 9 }],
  ["an index with a leading zero", { a: [1, 2] }, { op: "replace", path: "/a/01", value: 9 }],
  ["an empty index", { a: [1, 2] }, { op: "replace", path: "/a/", value: 9 }],
  ["an index with a sign", { a: [1, 2] }, { op: "remove", path: "/a/-1" }],
  ["a fraction", { a: [1, 2] }, { op: "replace", path: "/a/0.0", value: 9 }],
  ["an index past the end", { a: [1, 2] }, { op: "add", path: "/a/3", value: 9 }],
  ["a move past the end", { a: [1, 2], b: 3 }, { op: "move", from: "/b", path: "/a/9" }],
  ["the end of an array, to remove", { a: [1] }, { op: "remove", path: "/a/-" }],
  ["an element after the last", { a: [1] }, { op: "replace", path: "/a/1", value: 2 }],
  ["an array's length", { a: [1] }, { op: "replace", path: "/a/length", value: 0 }],
  ["a member that is inherited", { a: 1 }, { op: "remove", path: "/toString" }],
  ["a member to copy that is inherited", { a: 1 }, { op: "copy", from: "/toString", path: "/b" }],
  ["a missing source for the whole", { a: 1 }, { op: "move", from: "/missing", path: "" }],
  ["a place inside what is moved", { a: [{ b: 1 }, {}] }, { op: "move", from: "/a/0", path: "/a/0/b" }],
  ["a member of a text", { a: "text" }, { op: "add", path: "/a/b", value: 1 }],
  ["a member of null", { a: null }, { op: "add", path: "/a/b", value: 1 }],
  ["a text that is no pointer", { a: 1 }, { op: "replace", path: "a", value: 1 }],
  ["an escape that is none", { "~2": 1 }, { op: "replace", path: "/~2", value: 1 }],
  ["a member to test that is missing", {}, { op: "test", path: "/a", value: null }],
])("a path that is not there does not apply: %s", (_name, document, operation) => {
  expect(patchedOf(document, operation)).toBe("not-applicable");
});

describe("a patch", () => {
  it("is all or nothing, and changes no operations", () => {
    const operations: PatchOperation[] = [
      { op: "add", path: "/c", value: { d: 1 } },
      { op: "add", path: "/c/e", value: 2 },
      { op: "remove", path: "/missing" },
    ];
    const before = structuredClone(operations);
    expect(patchedOf({}, ...operations)).toBe("not-applicable");
    expect(patchedOf({ a: { b: 1 }, list: [1] }, ...operations.slice(0, 2))).toBe(
      '{"a":{"b":1},"list":[1],"c":{"d":1,"e":2}}',
    );
    expect(operations).toEqual(before);
  });

  it.each<PatchOperation>([
    { op: "add", path: "/__proto__/polluted", value: 1 },
    { op: "add", path: "/__proto__", value: { polluted: 1 } },
    { op: "add", path: "/constructor/prototype/polluted", value: 1 },
    { op: "copy", from: "/__proto__", path: "/a" },
  ])("never reaches a prototype: %j", (operation) => {
    expect(patchedOf({ a: {} }, operation)).toBe("not-applicable");
    patchJson(JSON.parse('{"__proto__":{},"constructor":{"prototype":{}}}'), [operation]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it.each<[PatchOperation, string]>([
    [{ op: "add", path: "/list/-", value: 1 }, "no"],
    [{ op: "add", path: "/list/0", value: 1 }, "no"],
    [{ op: "remove", path: "/list/0" }, "no"],
    [{ op: "move", from: "/a", path: "/b" }, "no"],
    [{ op: "copy", from: "/a", path: "/b" }, "no"],
    [{ op: "add", path: "/0", value: 1 }, "yes"],
    [{ op: "add", path: "/-", value: 1 }, "yes"],
    [{ op: "remove", path: "/a" }, "yes"],
    [{ op: "replace", path: "/list/0", value: 1 }, "yes"],
    [{ op: "test", path: "/list/0", value: 1 }, "yes"],
    [{ op: "add", path: "", value: [] }, "yes"],
  ])("with %j can be repeated: %s", (operation, repeatable) => {
    expect(patchJson({ a: 1, list: [1] }, [operation])?.repeatable).toBe(repeatable);
  });

  it("does not apply to a document that is nested too deep, and does not throw", () => {
    const deep: unknown = JSON.parse("[".repeat(200_000) + "]".repeat(200_000));
    expect(patchedOf(deep, { op: "replace", path: "/0", value: 1 })).toMatch(/^\[1\]$|^not-applicable$/);
  });
});
