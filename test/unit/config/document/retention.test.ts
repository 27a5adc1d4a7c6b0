import { describe, expect, it } from "vitest";
import { loadDocument } from "../../../../src/config/document/load-document.ts";
import { formatProblem } from "../../../../src/config/problem.ts";

function load(drain: string, { source = "{ retention: 3d }", defaults = "{}" } = {}) {
  const text = [
    "version: 1",
    `sources: { default: ${source} }`,
    `defaults: ${defaults}`,
    "archive: { dir: /archive }",
    "drains:",
    `  orders: { ${drain}, rules: [{ name: all, when: any, then: hold }] }`,
    "  others: { select: { label: other }, rules: [{ name: all, when: any, then: hold }] }",
  ].join("\n");
  const outcome = loadDocument(text, "drains.yaml");
  return {
    problems: outcome.ok ? [] : outcome.problems.map(formatProblem),
    warnings: outcome.warnings
      .map(formatProblem)
      .filter((line) => line.includes("retention") && !line.includes("may select")),
  };
}

describe("what a drain waits for that the retention has no room for", () => {
  const never = "no record is ever published or dropped";
  const notMade = "that redrive is never made";
  const unseen = "records expire between two passes, unseen by the drain";
  it.each([
    ["minAge: 5d", "6:21", "minAge", "5d", never],
    ["attempts: { wait: [10m, 4d] }", "6:37", "attempts.wait[1]", "4d", notMade],
    ["schedule: { every: 7d }", "6:32", "schedule.every", "7d", unseen],
  ])("is refused where it is said: %s", (drain, place, key, got, otherwise) => {
    expect(load(drain).problems).toEqual([
      `drains.yaml:${place} drains.orders.${key}: expected less than 3d, sources.default.retention, got ${got}; else ${otherwise}`,
    ]);
  });

  it("goes by the built-in retention, and by that of the drain's own source", () => {
    expect(load("minAge: 5d", { source: "{}" }).problems).toEqual([
      expect.stringContaining("expected less than 3d, sources.default.retention as it is built in, got 5d"),
    ]);
    expect(load("minAge: 5d", { source: "{ retention: 7d }" }).problems).toEqual([]);
  });

  it("is told once where defaults say it, and not where a drain says otherwise", () => {
    const { problems } = load("minAge: 1h", { defaults: "{ minAge: 5d }" });
    expect(problems).toEqual([expect.stringMatching(/^drains\.yaml:3:\d+ defaults\.minAge: /)]);
    expect(load("mode: plan", { defaults: "{ minAge: 5d }" }).problems).toHaveLength(1);
  });

  it("is told at the retention where it is built in", () => {
    expect(load("mode: plan", { source: "{ retention: 2m }" }).problems).toEqual([
      expect.stringMatching(
        /^drains\.yaml:2:\d+ sources\.default\.retention: expected more than minAge as it is built in \(2m\), got 2m; /,
      ),
    ]);
  });

  it.each([
    ["schedule: { full: 4d }", "schedule.full: expected less than 3d"],
    ["beforeExpiry: { within: 4d }", "beforeExpiry.within: expected less than 3d"],
  ])("is warned of where it does something all the same: %s", (drain, warning) => {
    const { problems, warnings } = load(drain);
    expect(problems).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining(warning)]);
  });

  it("is no concern of copies that nobody wants, or of an interval that a cron pattern replaces", () => {
    expect(load("beforeExpiry: { within: 4d, then: nothing }").warnings).toEqual([]);
    expect(
      load('schedule: { cron: "* * * * *" }', { defaults: "{ schedule: { every: 9d } }" }).problems,
    ).toEqual([expect.stringContaining("defaults.schedule.every")]);
  });
});
