import { describe, expect, it } from "vitest";
import { load, problemsOf, shownOf, withDrain } from "../../../support/loaded-document.ts";

const documentOf = (callbacks: string): string => `version: 1
sources: { eu: { callbacks: ${callbacks} } }
drains: { a: { rules: [] } }
`;
const keys = "keys: [{ file: /k }, { env: NEXT }]";

describe("callbacks of a source", () => {
  it("are an address without trailing slash, and where the keys are", () => {
    expect(
      load(documentOf(`{ url: "https://R.example.com/callbacks/", ${keys} }`)).document.sources[0]?.callbacks,
    ).toEqual({
      url: "https://r.example.com/callbacks",
      keys: [
        { kind: "file", path: "/k" },
        { kind: "env", name: "NEXT" },
      ],
    });
  });

  it.each([
    ["a key in the document", "{ url: https://r.example.com, keys: [sig_x] }"],
    ["a query", `{ url: "https://r.example.com/?a=1", ${keys} }`],
    ["an address past 500 characters", `{ url: "https://r.example.com/${"p".repeat(500)}", ${keys} }`],
  ])("are refused with %s", (_, callbacks) => {
    const problems = problemsOf(documentOf(callbacks));
    expect(problems.length).toBeGreaterThan(0);
    expect(JSON.stringify(problems)).not.toContain("sig_x");
  });
});

const on = (text: string) => text.replace("default: {}", "default: { serviceRetry: true }");
const ruled = (rule: string) => withDrain(`rules: [{ name: own, when: any, ${rule} }]`);

const two = (source: string) =>
  ruled("then: republish, via: service")
    .replace("default: {}", "eu: { serviceRetry: true }, us: { url: https://us.example.com }")
    .replace("    rules", `    source: ${source}\n    rules`);

it("a rule that publishes by the service's own retry loads if its source has it", () => {
  const text = on(ruled("then: republish, via: service"));
  const { document } = load(text);
  expect(document.drains[0]?.rules).toMatchObject([{ then: "republish", via: "service" }]);
  const shown = shownOf(text);
  expect(shown).toContain("serviceRetry: true");
  expect(load(shown).document.hash).toBe(document.hash);
});

it("is an error without the source's setting, at its line, and names the setting", () => {
  const [problem, ...others] = problemsOf(ruled("then: republish, via: service"));
  expect(others).toEqual([]);
  expect(problem).toMatch(/^drains\.yaml:5:\d+ .*sources\.default\.serviceRetry: true is not set/);
});

it("the setting of the drain's own source counts", () => {
  expect(problemsOf(two("eu"))).toEqual([]);
  expect(problemsOf(two("us"))).toEqual([expect.stringContaining("sources.us.serviceRetry: true")]);
});

it.each([
  ["then: park, via: service", "expected via only beside then: republish"],
  ["then: republish, via: service, set: { retries: 1 }", "expected either set or via"],
  ["then: republish, via: batch", 'expected service, got "batch"'],
])("%s", (rule, expected) => {
  expect(problemsOf(on(ruled(rule)))).toEqual([expect.stringContaining(expected)]);
});
