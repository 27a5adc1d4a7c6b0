import { type JsonValue, maxJsonCharacters, maxJsonMarks } from "../../../../src/job/message/json-value.ts";
import type { PatchOperation } from "../../../../src/job/message/item-changes.ts";
import { describe, expect, it } from "vitest";
import { editBody } from "../../../../src/job/message/edit-body.ts";
import { mergePatch } from "../../../../src/job/message/edit-body.ts";

const merge = (body: string, value: JsonValue, attempt = 0) =>
  editBody(body, { kind: "merge", value }, attempt);
const patch = (body: string, operations: readonly PatchOperation[], attempt = 0) =>
  editBody(body, { kind: "patch", operations }, attempt);
const lossesOf = (body: string) => {
  const edited = merge(body, { edited: true });
  return edited.kind === "body" ? edited.losses : edited.reason;
};

describe("an edited body", () => {
  it("is never the merge alone where a list, a text or a number stood", () => {
    for (const body of ['[{"order":1}]', '"text"', "42", '{"a":[{"b":1}]}', '{"a":"text"}']) {
      expect(merge(body, { a: { c: 1 } })).toEqual({ kind: "park", reason: "body-not-editable" });
    }
    // Said on purpose: a list or a plain value in the place of another.
    expect(merge('{"a":[1]}', { a: [2] })).toMatchObject({ body: '{"a":[2]}' });
    expect(merge('{"a":[1]}', { a: null, b: { c: 1 } })).toMatchObject({ body: '{"b":{"c":1}}' });
    expect(merge('{"a":null}', { a: { c: 1 } })).toMatchObject({ body: '{"a":{"c":1}}' });
  });

  it("is none of a text that is too long, or has too much in it, to have values", () => {
    const body = `{"a":"${"x".repeat(maxJsonCharacters - 8)}"}`;
    expect(merge(body, { b: 1 })).toMatchObject({ kind: "body" });
    expect(merge(` ${body}`, { b: 1 })).toEqual({ kind: "park", reason: "body-not-editable" });
    const list = `[${"{},".repeat(maxJsonMarks / 2 - 1)}0]`;
    expect(patch(list, [{ op: "replace", path: "/0", value: 1 }])).toMatchObject({ kind: "body" });
    expect(patch(`[[${list}]]`, [{ op: "replace", path: "/0", value: 1 }])).toMatchObject({ kind: "park" });
  });

  it("is JSON text", () => {
    expect(merge('{ "schema": 2, "tenant": "acme" }', { schema: 3 })).toEqual({
      kind: "body",
      body: '{"schema":3,"tenant":"acme"}',
      losses: [],
    });
    expect(patch('{"a":[1]}', [{ op: "add", path: "/a/-", value: 2 }])).toEqual({
      kind: "body",
      body: '{"a":[1,2]}',
      losses: [],
    });
  });

  it("is read behind a byte order mark, which stays if nothing changes and goes with an edit", () => {
    const body = '\ufeff{ "a": 1 }';
    expect(merge(body, { a: 1 })).toEqual({ kind: "body", body, losses: [] });
    expect(merge(body, { a: 2 })).toEqual({ kind: "body", body: '{"a":2}', losses: [] });
    expect(patch(body, [{ op: "remove", path: "/a" }])).toMatchObject({ body: "{}" });
    expect(merge("\ufefftext", { a: 2 })).toEqual({ kind: "park", reason: "body-not-editable" });
  });

  it("stays byte for byte where the edit changes no value", () => {
    const body = '{ "b" : 1.0,\n "a": "\\u00e9", "schema": 3 }';
    expect(merge(body, { schema: 3 })).toEqual({ kind: "body", body, losses: [] });
    expect(patch(body, [{ op: "test", path: "/b", value: 1 }])).toEqual({ kind: "body", body, losses: [] });
  });

  it("keeps a name like __proto__, half a surrogate pair and an empty name", () => {
    expect(merge('{"__proto__":{"a":1},"x":"\\ud800","":0}', { y: 1 })).toMatchObject({
      body: '{"__proto__":{"a":1},"x":"\\ud800","":0,"y":1}',
    });
  });

  it.each([
    "",
    "text",
    "{",
    "\ufeff{}",
    "undefined",
    "{'a':1}",
    "NaN",
    `${"[".repeat(50_000)}${"]".repeat(50_000)}`,
  ])("cannot be made of what is no JSON, or nested too deep (%#)", (body) => {
    const edited = patch(body, [{ op: "test", path: "/missing", value: 1 }]);
    expect(edited).toEqual({ kind: "park", reason: "body-not-editable" });
    expect(merge(body, { a: 1 })).toSatisfy(
      (result: { kind: string; body?: string }) => result.kind === "park" || result.body === '{"a":1}',
    );
  });
});

describe("a body loses", () => {
  it("both at once, by name", () => {
    expect(lossesOf('{"a":1e400,"a":1}')).toEqual(["body-numbers", "body-duplicate-keys"]);
  });
});

const parsed = (text: string) => JSON.parse(text) as JsonValue;

describe("a merge patch", () => {
  it.each([
    ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
    ['{"a":"b"}', '{"a":null}', "{}"],
    ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
    ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
    ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
    ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
    ['["a","b"]', '["c","d"]', '["c","d"]'],
    ['{"a":"b"}', '["c"]', '["c"]'],
    ['{"a":"foo"}', "null", "null"],
    ['{"a":"foo"}', '"bar"', '"bar"'],
    ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
    ["[1,2]", '{"a":"b","c":null}', '{"a":"b"}'],
    ["{}", '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
  ])("makes of %s with %s what RFC 7396, appendix A, says", (target, patch, result) => {
    expect(JSON.stringify(mergePatch(parsed(target), parsed(patch)))).toBe(result);
  });

  it("treats prototype names as members like any other", () => {
    const merged = mergePatch(
      parsed('{"a":1}'),
      parsed('{"__proto__":{"polluted":1},"constructor":{"x":1}}'),
    );
    expect(JSON.stringify(merged)).toBe('{"a":1,"__proto__":{"polluted":1},"constructor":{"x":1}}');
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});
