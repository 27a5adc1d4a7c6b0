import { describe, expect, it } from "vitest";
import { problemsOf, withDrain } from "../../../../support/loaded-document.ts";
import { loadWhen } from "../../../../support/decide-by-document.ts";

const quoted = JSON.stringify;
const inBody = (text: string) => loadWhen(`{ body: { /n: ${quoted(text)} } }`);
const inHeader = (text: string) => loadWhen(`{ header: { X-Count: ${quoted(text)} } }`);
const bodyOf = (number: string) => ({ body: `{"n":${number}}` });

/** Each with what is proposed. */
const lookalikes: readonly (readonly [string, string])[] = [
  ["!= 5", "5 below not"],
  ["== 5", "5"],
  ["~ 5", "5"],
  ["=> 1000", '">= 1000"'],
  ["≥ 1000", '">= 1000"'],
  ["≠ 5", "5 below not"],
  ["not 5", "5 below not"],
  ["＞ 5", '"> 5"'],
  [">\u00a05,000", '"> 5000"'],
  ["\u200b> 5,000", '"> 5000"'],
  ["> 1,000", '"> 1000"'],
  ["> 1'000", '"> 1000"'],
  ["> 1 000", '"> 1000"'],
  ["> .5", '"> 0.5"'],
  ["> +5", '"> 5"'],
  ["> −5", '"> -5"'],
  ["> 0x10", '"> 16"'],
  ["> 10m", "a comparison with a number"],
  ["> 1,5", "a comparison with a number"],
  [">5 <10", "a comparison with a number"],
  ["~ x", "x"],
  ["!= acme", "acme below not"],
  ["> x", "a comparison with a number"],
];

describe("what looks like a comparison and is none", () => {
  it.each(lookalikes)("is refused in a body with what to write: %s", (text, proposal) => {
    expect(inBody(text).problems).toEqual([
      expect.stringMatching(/^drains\.yaml:6:\d+ drains\.orders\.rules\[0\]\.when\.body\["\/n"\]: expected /),
    ]);
    expect(inBody(text).problems[0]).toContain(`: expected ${proposal}`);
    expect(inBody(text).problems[0]).toContain("or { equals: … } if this very text is meant");
    // The proposal is accepted.
    const proposed = proposal.startsWith('"') ? proposal : "1";
    expect(loadWhen(`{ body: { /n: ${proposed} } }`).problems).toEqual([]);
    // Below equals it is a text.
    const rule = loadWhen(`{ body: { /n: { equals: ${quoted(text)} } } }`);
    expect(rule.matches({ body: quoted({ n: text }) })).toBe(true);
  });

  it.each([
    '{ header: { X-Count: "!= 5" } }',
    '{ responseHeader: { X-Count: [a, "!= 5"] } }',
    '{ responseBody: { /n: "!= 5" } }',
    '{ body: "!= 5" }',
    '{ labels: [a, "!= 5"] }',
    '{ responseStatus: "!= 5" }',
    '{ not: { topicName: "!= 5" } }',
  ])("is refused wherever it may be meant: %s", (when) => {
    expect(loadWhen(when).problems).toEqual([expect.stringMatching(/^drains\.yaml:6:\d+ /)]);
  });

  it.each([
    ["hold", "pending_index_count ≥ 10,000", "pending_index_count >= 10000"],
    ["hold", "pending_index_count => 10_000", "pending_index_count >= 10000"],
    ["resume", "=< 5,000", "<= 5000"],
  ])("is refused in a guard with the same in the spelling that is read: %s %s", (key, text, proposal) => {
    const keys = { index: "i", hold: "pending_index_count > 20000", [key]: text };
    const problems = problemsOf(withDrain(`guards: [${quoted(keys)}]`));
    expect(problems).toContainEqual(expect.stringContaining(`.${key}: expected ${quoted(proposal)}: `));
  });

  it("names no value of a header and none of an address", () => {
    expect(inHeader("!= hush").problems.join()).not.toContain("hush");
    expect(loadWhen(`{ url: "!= https://a.example/?key=hush" }`).problems.join()).not.toContain("hush");
  });

  it.each([
    ["responseStatus", "!= 503", "503 below not"],
    ["responseStatus", "≥ 500", '">= 500"'],
    ["responseStatus", "502–504", "502-504"],
    ["responseStatus", "５０３", "503"],
    ["size", "> 1,000", '"> 1000"'],
    ["age", "≥ 5m", '">= 5m"'],
    ["age", "1h–2h", "1h-2h"],
    ["createdAt", "=< 2026-11-01", '"<= 2026-11-01"'],
  ])("is refused with the same in the spelling that is read: %s %s", (field, text, proposal) => {
    expect(loadWhen(`{ ${field}: ${quoted(text)} }`).problems).toEqual([
      expect.stringContaining(`expected ${proposal}: `),
    ]);
    expect(loadWhen(`{ ${field}: ${proposal.replace(" below not", "")} }`).problems).toEqual([]);
  });

  const texts = ["<html>*", "<1@mail.example>", "</a>", "<>", "=?UTF-8?B?YQ==?=", "not found", "note 5"];
  const signs = ["-5", "- 5", "~/home", "~root", "!important", "=SUM(A1)", "->", "10m", "a > 5", "a=5"];
  it.each([...texts, ...signs, "2026-11-01", "1.2.3", "+49 30 1234"])(
    "is not every text with such a sign: %s",
    (text) => {
      expect(inBody(text).matches({ body: quoted({ n: text.replace("*", "") }) })).toBe(true);
      expect(loadWhen(`{ header: { X-Count: ${quoted(text)} }, label: ${quoted(text)} }`).problems).toEqual(
        [],
      );
    },
  );
});

describe("a comparison", () => {
  const past = "9007199254740993";
  it.each([
    ["> 0.1", ["0.1000000000000000000001", "1e1000000"], ["0.1", "0.10", "1e-1"]],
    ["< 3", ["2.9999999999999999999", "2", "-7", "-0"], ["3", "3.0", "3.0000000000000000001", "30e-1"]],
    ["> 1e400", ["1e401", "2e400"], ["1e400", "1e399"]],
    ["> 0", ["1"], ["0e9", "-0"]],
    [">= -0", ["0", "-0", "0.0", "1"], ["-1e-400", "-1"]],
  ])("of a number in a body is by its digits: %s", (text, within, outside) => {
    const rule = inBody(text);
    expect(rule.problems).toEqual([]);
    for (const number of within) expect(rule.matches(bodyOf(number)), number).toBe(true);
    for (const number of outside) expect(rule.matches(bodyOf(number)), number).toBe(false);
    // A text is no number.
    for (const number of within) expect(rule.matches(bodyOf(quoted(number))), number).toBe(false);
  });

  it("and a range and an equal number are by their digits too", () => {
    const range = loadWhen(`{ body: { /n: { range: "${past}-9007199254740994" } } }`);
    expect([past, "9007199254740994"].map((number) => range.matches(bodyOf(number)))).toEqual([true, true]);
    expect(["9007199254740992", "9007199254740995"].map((number) => range.matches(bodyOf(number)))).toEqual([
      false,
      false,
    ]);
    const equal = loadWhen("{ body: { /n: 3 } }");
    expect(["3", "3.0", "0.3e1"].map((number) => equal.matches(bodyOf(number)))).toEqual([true, true, true]);
    expect(equal.matches(bodyOf("3.0000000000000000001"))).toBe(false);
  });

  it("takes the last of equal keys", () => {
    const rule = loadWhen(`{ body: { /a/1/n: "> ${past}" } }`);
    const [below, above] = ["9007199254740992", "9007199254740994"];
    expect(rule.matches({ body: `{"a":[1,{"n":${above},"n":${below}}]}` })).toBe(false);
    expect(rule.matches({ body: `{"a":[1,{"n":${below},"n":${above}}]}` })).toBe(true);
    expect(rule.matches({ body: `{"x\\"]{":1,"\\u0061":[",{",{"\\u006e":${above}}]}` })).toBe(true);
  });

  it("of a header is with a value that is a number", () => {
    const rule = inHeader("> 5");
    expect(rule.problems).toEqual([]);
    const matches = (...values: string[]) => rule.matches({ header: { "x-count": values } });
    for (const value of ["6", "5.5", " 7 ", "+8", "9007199254740993", "1e3"])
      expect(matches(value), value).toBe(true);
    for (const value of ["5", "-6", "", "six", "6 items", "0x10", "1,000"])
      expect(matches(value), value).toBe(false);
    expect(matches("1", "6")).toBe(true);
    const range = loadWhen("{ responseHeader: { X-Count: { range: 3-7 } } }");
    expect(range.matches({ responseHeader: { "x-count": ["7"] } })).toBe(true);
    expect(range.matches({ responseHeader: { "x-count": ["8"] } })).toBe(false);
  });
});
