import { describe, expect, it } from "vitest";
import { mergePatch } from "../../../src/message/edit-body.ts";
import type { JsonValue } from "../../../src/message/json-value.ts";

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

  it("makes the RFC's example document", () => {
    const target = parsed(
      '{"title":"Goodbye!","author":{"givenName":"John","familyName":"Doe"},"tags":["example","sample"],"content":"This will be unchanged"}',
    );
    const patch = parsed(
      '{"title":"Hello!","phoneNumber":"+01-123-456-7890","author":{"familyName":null},"tags":["example"]}',
    );
    expect(mergePatch(target, patch)).toEqual({
      title: "Hello!",
      author: { givenName: "John" },
      tags: ["example"],
      content: "This will be unchanged",
      phoneNumber: "+01-123-456-7890",
    });
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

  it("changes neither of its arguments", () => {
    const target = parsed('{"a":{"b":1},"c":2}');
    const patch = parsed('{"a":{"d":[1]},"c":null}');
    mergePatch(target, patch);
    expect([target, patch]).toEqual([
      { a: { b: 1 }, c: 2 },
      { a: { d: [1] }, c: null },
    ]);
  });
});
