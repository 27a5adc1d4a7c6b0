import { describe, expect, it } from "vitest";
import type { DrainName } from "../../../../src/job/contracts/ids.ts";
import type { MessageId } from "../../../../src/job/message/dead-letter.ts";
import type { LedgerView } from "../../../../src/job/contracts/ledger-entries.ts";
import type { Decision } from "../../../../src/job/rules/decision.ts";
import { isParkedAlready, toPlanned } from "../../../../src/people/plan/plan-file-record.ts";
import { compareWithPlan } from "../../../../src/people/plan/open-orders.ts";
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

const settle: Decision = { then: "settle", reason: "published-before", rule: null };

const beingDeleted: LedgerView = {
  state: "published",
  at: 0,
  as: "msg_1" as MessageId,
  drain: orders,
  deleteFailed: false,
  maybeGone: false,
  isBeingDeleted: true,
  datesAgree: true,
  messageId: null,
};

const parkedView: LedgerView = {
  state: "parked",
  reason: "rule",
  drain: orders,
  rulesHash: "r",
  attempt: 0,
  suffix: 1,
};

const parking = (rule: string | null, reason: "rule" | "refused" = "rule"): Decision => ({
  then: "park",
  reason,
  rule,
});

describe("a planned record that is listed again", () => {
  const prefix = "Upstash-";
  const republish = toPlanned(surveyed(due), prefix);
  const park = toPlanned(surveyed({ then: "park", reason: "rule", rule: "broken" }), prefix);

  it.each<[string, Letter, string]>([
    ["the same", surveyed(due), "as-planned"],
    ["in doubt by an earlier apply", surveyed({ ...due, reason: "reconcile" }), "as-planned"],
    ["published", surveyed(settle), "as-planned"],
    ["published, and deleted by another", surveyed(settle, beingDeleted), "not-now"],
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

  it.each<[string, Decision, LedgerView | undefined, string]>([
    ["by the same rule", parking("broken"), undefined, "as-planned"],
    ["already, as the ledger knows", parking(null), parkedView, "done"],
    ["already, by the same rule", parking("broken"), parkedView, "done"],
    ["already, because it was refused", parking(null, "refused"), parkedView, "otherwise"],
    ["by another rule", parking("other"), undefined, "otherwise"],
    ["already, by another rule", parking("other"), parkedView, "otherwise"],
    ["no more", due, undefined, "otherwise"],
  ])("to be parked is parked %s", (_name, now, view, found) => {
    expect(compareWithPlan(park, surveyed(now, view), prefix)).toBe(found);
  });

  it.each<[string | null, LedgerView | undefined, string, boolean]>([
    [null, parkedView, "r2", true],
    ["b", parkedView, "r", true],
    ["b", parkedView, "r2", false],
    ["b", undefined, "r", false],
  ])("is no order where it waits for a person already: by %s, %j, rules %s: %s", (rule, view, hash, is) => {
    expect(isParkedAlready(surveyed(parking(rule), view), hash)).toBe(is);
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
