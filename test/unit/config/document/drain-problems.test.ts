import { describe, expect, it } from "vitest";
import { problemsOf, withDrain } from "../../../support/loaded-document.ts";

const guarded = (guard: string) =>
  problemsOf(
    `${withDrain(`guards: [{ ${guard} }]`)}\nindexes: { catalog: { id: x, credentials: { user: { env: U }, password: { env: P } } } }`,
  );

const over10 = "index: catalog, hold: pending_index_count > 10";

describe("a guard", () => {
  it.each([
    ["index: catlog, hold: pending_index_count > 1", 'did you mean "catalog"? expected catalog'],
    ["index: catalog, hold: pending > 1", "pending_index_count"],
    [`${over10}, resume: soon`, "a comparison with a whole number"],
    [`${over10}, resume: '< 20'`, "no number has in common with hold"],
    [`${over10}, resume: storage_usage < 5`, "a comparison of pending_index_count"],
  ])("%s", (guard, expected) => {
    expect(guarded(guard)).toEqual([expect.stringContaining(expected)]);
  });
});

const tested = (test: string) =>
  problemsOf(withDrain("rules: [{ name: outage, when: any, then: republish }]", `tests: [${test}]`));

const plain = "{ name: a, given: {}, expect: { then: hold } }";

describe("a test of rules", () => {
  it.each([
    ["{ name: a, given: { ur: x }, expect: { then: hold } }", 'unknown key "ur"'],
    ["{ name: a, given: { age: 5m, dlqId: 1-0 }, expect: { then: hold } }", "either age or dlqId, got both"],
    ["{ name: a, given: { label: x, labels: [y] }, expect: { then: hold } }", "either label or labels, got"],
    ["{ name: a, given: {}, expect: { then: hold, rule: outge } }", 'did you mean "outage"?'],
    ["{ name: a, given: {}, expect: { then: hold, item: { body: {} } } }", "item only beside then"],
    ["{ name: a, given: {}, expect: { then: republish, losses: [body] } }", "body-numbers"],
    ["{ given: {}, expect: { then: hold } }", "missing; expected what the test shows"],
    [`${plain}, ${plain}`, "another name than a test above it"],
  ])("%s", (test, expected) => {
    expect(tested(test)).toEqual([expect.stringContaining(expected)]);
  });
});
