import { expect, it } from "vitest";
import type { Objection } from "./check-exchange.ts";
import { knownObjections } from "./known-objections.ts";
import { countChecks, toReport } from "./report.ts";
import { createTally, type KnownObjection } from "./tally.ts";

const objection: Objection = {
  operation: "GET /a",
  where: "answer 200",
  at: "b",
  what: "field not described",
  sample: "1",
};
const known: KnownObjection = { ...objection, reason: "tests need it", wins: "emulator" };

it("counts the same objection once, however often it was made, and knows its reason", () => {
  const tally = createTally([known]);
  for (const sample of ["1", "2"]) {
    tally.add({ operation: "GET /a", objections: [{ ...objection, sample }], seen: ["answer 200"] });
  }
  expect(tally.rows()).toMatchObject([{ count: 2, known: { reason: "tests need it" }, sample: "1" }]);
  expect(countChecks(tally, ["GET /a: answer 200"], null)).toEqual({ passed: 2, failed: 0 });
});

it("fails for an objection without a reason, a reason that nothing needs, what was not seen, and a play that ended early", () => {
  const tally = createTally([{ ...known, at: "c" }]);
  tally.add({ operation: "GET /a", objections: [objection], seen: [] });
  expect(countChecks(tally, ["GET /a: answer 200"], "too late")).toEqual({ passed: 0, failed: 4 });
  const report = toReport(tally, ["GET /a: answer 200"], "too late");
  expect(report).toMatch(/^FAILED +GET \/a +answer 200 +b +field not described +1/m);
  expect(report).toContain("FAILED  not seen: GET /a: answer 200");
  expect(report).toContain("FAILED  the play ended: too late");
  expect(report).toContain("FAILED  not needed: GET /a, answer 200, c: field not described");
});

it("has a reason, and one only, for each objection that is known", () => {
  expect(() => createTally([known, known])).toThrow("an objection is known twice");
  expect(() => createTally(knownObjections)).not.toThrow();
  expect(knownObjections.filter(({ reason }) => reason.length < 20)).toEqual([]);
});
