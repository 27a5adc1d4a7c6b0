import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { loadWhen } from "../../../support/decide-by-document.ts";
import { resultsOf } from "../../../support/drains-documents.ts";
import { shownOf, withDrain } from "../../../support/loaded-document.ts";

describe("superseded", () => {
  it.each([
    ["{ superseded: yes }", "superseded", "expected true, or { body: a JSON pointer (/order/id) }"],
    ["{ superseded: { header: X-Id } }", "superseded.body", "missing; expected a JSON pointer"],
    ["{ superseded: { body: /id, of: x } }", 'unknown key "of"', "expected body alone"],
    ["{ superseded: { body: $.order.id } }", "superseded.body", "/order/id"],
  ])("is refused with its place: %s", (when, place, expected) => {
    const [problem = ""] = loadWhen(when).problems;
    expect(problem).toContain(place);
    expect(problem).toContain(expected);
  });

  it.each([true, { body: "/order/id" }, { body: "" }])("is shown as it is written: %j", (superseded) => {
    const text = withDrain(
      `rules: [{ name: r, when: { superseded: ${JSON.stringify(superseded)} }, then: hold }]`,
    );
    const shown = parse(shownOf(text)) as { drains: { orders: { rules: readonly object[] } } };
    expect(shown.drains.orders.rules).toMatchObject([{ when: { superseded } }]);
  });

  it("is given to a test; absent, there is none newer", () => {
    const text = `version: 1
archive: { dir: /archive }
sources: { a: {} }
drains:
  d:
    rules:
      - { name: newest, when: { superseded: true }, then: drop }
      - { name: outage, when: any, then: republish }
    tests:
      - { name: newer, given: { superseded: true }, expect: { then: drop, rule: newest, reason: superseded } }
      - { name: not, given: { superseded: false }, expect: { then: republish, rule: outage } }
      - { name: none, given: { scheduleId: s }, expect: { then: republish, reason: due } }
`;
    const results = resultsOf(text, "drains.yaml");
    expect(results.map(({ unmet }) => unmet)).toEqual([[], [], []]);
  });

  it("never matches beside its opposite", () => {
    expect(loadWhen("{ superseded: true, not: { superseded: true } }").problems[0]).toContain("can never");
    expect(loadWhen("{ superseded: true, not: { superseded: { body: /id } } }").problems).toEqual([]);
  });
});
