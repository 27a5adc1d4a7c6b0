import { describe, expect, it } from "vitest";
import type { DrainName } from "../../../../src/job/contracts/ids.ts";
import type { LedgerView } from "../../../../src/job/contracts/ledger-entries.ts";
import type { Decision } from "../../../../src/job/rules/decision.ts";
import { isParkedAlready, toPlanned } from "../../../../src/people/plan/plan-file-record.ts";
import { compareWithPlan } from "../../../../src/people/plan/compare-with-plan.ts";
import { createSelection } from "../../../../src/people/plan/plan-selection.ts";
import type { Letter } from "../../../../src/job/page/letter.ts";
import { decidedLetter, dueLetter } from "../../../support/letters.ts";
import { planned as lineOf } from "../../../support/planned.ts";

const orders = "orders" as DrainName;

function surveyed(decision: Decision, view: LedgerView = { state: "absent" }, listed = {}): Letter {
  if (decision.then !== "republish") return decidedLetter(decision, { view, listed });
  const letter = dueLetter({ view, listed });
  letter.decision = decision;
  return letter;
}

const due: Decision = { then: "republish", reason: "due", rule: "outage", set: {} };

const parkedView: LedgerView = {
  state: "parked",
  reason: "rule",
  drain: orders,
  rulesHash: "r",
  attempt: 0,
  firstAt: 0,
};

describe("a planned record that is listed again", () => {
  const prefix = "Upstash-";
  const republish = toPlanned(surveyed(due), prefix);
  const park = toPlanned(surveyed({ then: "park", reason: "rule", rule: "broken" }), prefix);

  it.each<[string, Letter, string]>([
    ["the same", surveyed(due), "as-planned"],
    ["in doubt by an earlier apply", surveyed({ ...due, reason: "reconcile" }), "as-planned"],
    ["published", surveyed({ then: "settle", reason: "published-before", rule: null }), "as-planned"],
    ["decided by another rule", surveyed({ ...due, rule: "other" }), "otherwise"],
    ["dropped now", surveyed({ then: "drop", reason: "rule", rule: "outage" }), "otherwise"],
    ["parked now", surveyed({ then: "park", reason: "rule", rule: "broken" }), "otherwise"],
    ["held by a rule now", surveyed({ then: "hold", reason: "rule", rule: "outage" }), "otherwise"],
    ["waiting now", surveyed({ then: "hold", reason: "waiting", rule: "outage", until: 9 }), "otherwise"],
    ["in somebody's hands", surveyed({ then: "hold", reason: "in-flight", rule: null }), "not-now"],
    ["cooling", surveyed({ then: "hold", reason: "cooling", rule: null, until: 9 }), "not-now"],
    ["of another body", surveyed(due, { state: "absent" }, { body: "other" }), "changed"],
  ])("%s is %s", (_name, now, found) => {
    expect(compareWithPlan(republish, now, prefix)).toBe(found);
  });

  it("is decided otherwise when it would become another item", () => {
    expect(compareWithPlan({ ...republish, item: "another" }, surveyed(due), prefix)).toBe("otherwise");
  });

  it("is parked by the same rule, or parked already as the ledger knows", () => {
    expect(compareWithPlan(park, surveyed({ then: "park", reason: "rule", rule: "broken" }), prefix)).toBe(
      "as-planned",
    );
    expect(
      compareWithPlan(park, surveyed({ then: "park", reason: "rule", rule: null }, parkedView), prefix),
    ).toBe("done");
    expect(compareWithPlan(park, surveyed({ then: "park", reason: "refused", rule: null }), prefix)).toBe(
      "otherwise",
    );
    const byAnother: Decision = { then: "park", reason: "rule", rule: "other" };
    expect(compareWithPlan(park, surveyed(byAnother), prefix)).toBe("otherwise");
    expect(compareWithPlan(park, surveyed(byAnother, parkedView), prefix)).toBe("otherwise");
    expect(compareWithPlan(park, surveyed({ ...byAnother, rule: "broken" }, parkedView), prefix)).toBe(
      "done",
    );
    expect(compareWithPlan(park, surveyed(due), prefix)).toBe("otherwise");
  });

  it("is no order where it waits for a person already", () => {
    expect(isParkedAlready(surveyed({ then: "park", reason: "rule", rule: null }, parkedView), "r2")).toBe(
      true,
    );
    expect(isParkedAlready(surveyed({ then: "park", reason: "rule", rule: "b" }, parkedView), "r")).toBe(
      true,
    );
    expect(isParkedAlready(surveyed({ then: "park", reason: "rule", rule: "b" }, parkedView), "r2")).toBe(
      false,
    );
    expect(isParkedAlready(surveyed({ then: "park", reason: "rule", rule: "b" }), "r")).toBe(false);
  });
});

it("a plan's orders are what is to be done, and not what is held or waits for a person already", () => {
  const selection = createSelection();
  selection.add(lineOf(1));
  selection.add(lineOf(2, { then: "park", already: true }));
  selection.add(lineOf(3, { then: "hold" }));
  selection.add(lineOf(4, { then: "drop" }));
  expect([...selection.of(orders).keys()]).toEqual(["1-0", "4-0"]);
});
