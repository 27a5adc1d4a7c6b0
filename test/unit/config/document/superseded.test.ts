import { describe, expect, it } from "vitest";
import { loadWhen } from "../../../support/decide-by-document.ts";

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

  it("never matches beside its opposite", () => {
    expect(loadWhen("{ superseded: true, not: { superseded: true } }").problems[0]).toContain("can never");
    expect(loadWhen("{ superseded: true, not: { superseded: { body: /id } } }").problems).toEqual([]);
  });
});
