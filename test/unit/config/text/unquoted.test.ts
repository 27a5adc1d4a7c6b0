import { describe, expect, it } from "vitest";
import { problemsOf, withDrain } from "../../../support/loaded-document.ts";

/** A rule in a line each; its `when` begins in line 7. */
const block = (line: string) =>
  problemsOf(withDrain("rules:", "  - when:", `      ${line}`, "    then: hold"));
const flow = (test: string) => problemsOf(withDrain("rules:", `  - { when: { ${test} }, then: hold }`));

describe("a value that YAML reads otherwise because it has no quotes", () => {
  it.each([
    ["responseStatus: >= 500", 28],
    ["age: > 1h", 18],
    ["body: { /n: > 5 }", 23],
    ["host: *.example.com", 17],
    ["queueName: @orders", 22],
    ["host: {{ HOST }}", 18],
    ["body: { /n: != 5 }", 23],
    ["body: { /n: ! 5 }", 25],
    ["label: 007", 18],
    ["label: true", 18],
    ["body: { /zip: 01234 }", 25],
    ["body: { /color: 0x1f }", 27],
    ["body: { /id: 12345678901234567890 }", 24],
    ["path: /a: b", 17],
  ])("is one problem at its place, which says so: %s", (line, column) => {
    const problems = block(line);
    expect(problems).toEqual([expect.stringMatching(/quote it|quotes around a value/)]);
    expect(problems[0]).toMatch(new RegExp(`^drains\\.yaml:7:${column}\\b`));
  });

  it.each(["responseStatus: >= 500", "host: *.example.com", "host: ${HOST}", "path: /a: b"])(
    "is so in a mapping of one line: %s",
    (test) => {
      expect(flow(test)).toEqual([
        expect.stringMatching(/^drains\.yaml:6:\d+.*(quote it|quotes around a value)/),
      ]);
    },
  );

  it.each([
    'responseStatus: ">= 500"',
    'host: "*.example.com"',
    "queueName: yes",
    "queueName: 10:30",
    "body: { /n: [-0, 0.5, 1e3, 1.50, -7] }",
    "queueName: >-\n            folded",
  ])("is none if YAML reads it as it is written: %s", (line) => {
    expect(block(line)).toEqual([]);
  });
});

describe("a text that is no YAML", () => {
  it.each([
    [
      "a space too deep",
      ["select: { topicName: a }", " mode: plan"],
      "6:1: expected valid YAML (All mapping",
    ],
    ["deeper below a value", ["mode: plan", "  rules: []"], "5:11: expected valid YAML (Nested mappings"],
    ["too shallow", ["rules:", "  - name: a", "    when: any", "  then: hold"], "8:1: expected valid YAML"],
    [
      "a dash one space short",
      ["rules:", "  - { when: any }", " - { when: any }"],
      "7:1: expected valid YAML",
    ],
    ["tabs", ["\tmode: plan", "\tminAge: 1m"], "5:5: expected valid YAML (Tabs are not allowed"],
    ["an open bracket", ["rules: ["], "expected valid YAML (Flow sequence in block"],
    ["an open quote", ['source: "eu'], 'expected valid YAML (Missing closing "quote)'],
    ["a second document", ["mode: plan", "...", "---", "version: 1"], "expected valid YAML (Source contains"],
  ])(
    "is one problem with its place, and is about quotes only if they can be missing: %s",
    (name, lines, problem) => {
      const problems = problemsOf(withDrain(...lines).replaceAll(/^ +(?=---|\.\.\.)/gm, ""));
      expect(problems).toEqual([expect.stringContaining(problem)]);
      expect(problems).toEqual([expect.stringMatching(/^drains\.yaml:\d+:\d+: /)]);
      expect(problems.join().includes("quotes around")).toBe(/deeper|dash/.test(name));
    },
  );
});

describe("a key of when that is no field of a record", () => {
  it.each([
    ["tenant: acme", "ask header: { tenant: … } or body: { /tenant: … }; expected one of response"],
    ["X-Tenant: acme", "header: { X-Tenant: … } or body: { /X-Tenant: … }"],
    ["/tenant: acme", "; ask body: { /tenant: … }; expected one of"],
    ["$.tenant.id: acme", "body: { /tenant/id: … }"],
    ["not: { tenant: acme }", "header: { tenant: … } or body: { /tenant: … }"],
  ])("may be one of a header or a body: %s", (test, expected) => {
    expect(flow(test)).toEqual([expect.stringContaining(expected)]);
  });
});
