import { expect, test } from "vitest";
import { load, problemsOf, shownOf, withDrain } from "../../../support/loaded-document.ts";

const on = (text: string) => text.replace("default: {}", "default: { serviceRetry: true }");
const ruled = (rule: string) => withDrain(`rules: [{ name: own, when: any, ${rule} }]`);

const two = (source: string) =>
  ruled("then: republish, via: service")
    .replace("default: {}", "eu: { serviceRetry: true }, us: { url: https://us.example.com }")
    .replace("    rules", `    source: ${source}\n    rules`);

test("a rule that publishes by the service's own retry loads if its source has it", () => {
  const text = on(ruled("then: republish, via: service"));
  const { document } = load(text);
  expect(document.drains[0]?.rules).toMatchObject([{ then: "republish", via: "service" }]);
  const shown = shownOf(text);
  expect(shown).toContain("serviceRetry: true");
  expect(load(shown).document.hash).toBe(document.hash);
});

test("it is an error without the source's setting, at its line, and names the setting", () => {
  const [problem, ...others] = problemsOf(ruled("then: republish, via: service"));
  expect(others).toEqual([]);
  expect(problem).toMatch(/^drains\.yaml:5:\d+ .*sources\.default\.serviceRetry: true is not set/);
});

test("the setting of the drain's own source counts", () => {
  expect(problemsOf(two("eu"))).toEqual([]);
  expect(problemsOf(two("us"))).toEqual([expect.stringContaining("sources.us.serviceRetry: true")]);
});

test.each([
  ["then: park, via: service", "expected via only beside then: republish"],
  ["then: republish, via: service, set: { retries: 1 }", "expected either set or via"],
  ["then: republish, via: batch", 'expected service, got "batch"'],
])("%s", (rule, expected) => {
  expect(problemsOf(on(ruled(rule)))).toEqual([expect.stringContaining(expected)]);
});
